// Eight executors change the same files at the same time. CONTINUO_CHAOS=long: 200 files, 2,000 edits.

import { expect, test } from 'vitest';
import { ask, until } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { newSpace, put } from '../files/support.ts';
import { createRandom, long } from './support/seeded.ts';

const EXECUTORS = 8;
const FILES = long ? 200 : 8;
const EDITS = long ? 2000 : 80;
/** Calls of one message. */
const AT_ONCE = 10;

const world = usePod();

test(
  `PLAN-3 WS-15 ${EXECUTORS} executors make ${EDITS} overlapping edits of ${FILES} files: each is in the history, and none is overwritten unseen`,
  { timeout: 900_000 },
  async () => {
    const random = createRandom();
    console.log(`CONTINUO_CHAOS_SEED=${random.seed}`);
    const space = await newSpace(world.url);
    const paths = Array.from({ length: FILES }, (_, n) => `/shared/${n}.md`);
    for (const path of paths) await put(space, path.slice(1), 'Notes:\n');
    const open = async (executor: number) => {
      // All insert behind the same line, so that any two edits of a file overlap.
      const calls = Array.from({ length: EDITS / EXECUTORS }, (_, n) => ({
        tool: 'edit',
        input: {
          path: random.pick(paths),
          edits: [{ old_text: 'Notes:\n', new_text: `Notes:\n- e${executor}.${n}\n` }],
        },
      }));
      const steps = Array.from({ length: Math.ceil(calls.length / AT_ONCE) }, (_, n) => ({
        calls: calls.slice(n * AT_ONCE, (n + 1) * AT_ONCE),
      }));
      const goal = JSON.stringify({ steps: [...steps, { text: 'Done.' }] });
      const { body } = await ask('POST', `${space.url}/chats`, { goal, limits: { steps: 1000 } });
      return { run: body.run.id as string, calls };
    };
    const all = await Promise.all(Array.from({ length: EXECUTORS }, (_, n) => open(n)));
    await until(
      'every executor is done',
      async () => {
        const { rows } = await world.database.pool.query('select status from runs where id = any ($1)', [
          all.map(({ run }) => run),
        ]);
        return rows.every(({ status }) => status === 'done');
      },
      { within: 800_000 },
    );

    const { rows: failed } = await world.database.pool.query(
      `select data from events where run_id = any ($1) and type = 'tool_end' and data ->> 'success' <> 'true'`,
      [all.map(({ run }) => run)],
    );
    expect(failed).toEqual([]);
    let versions = 0;
    for (const path of paths) {
      const wanted = all.flatMap(({ calls }, executor) =>
        calls.flatMap(({ input }, n) => (input.path === path ? [`- e${executor}.${n}`] : [])),
      );
      const url = `${space.url}/files${path}`;
      const text = await (await fetch(url)).text();
      expect(
        text
          .split('\n')
          .filter((line) => line.startsWith('- '))
          .toSorted(),
      ).toEqual(wanted.toSorted());
      // Each version has all lines of the one before, and one more.
      let before: readonly string[] = ['Notes:', ''];
      for (let version = 2; version <= wanted.length + 1; version += 1) {
        const lines = (await (await fetch(`${url}?version=${version}`)).text()).split('\n');
        expect(lines).toHaveLength(before.length + 1);
        expect(before.filter((line) => !lines.includes(line))).toEqual([]);
        before = lines;
        versions += 1;
      }
    }
    expect(versions).toBe(EDITS);
    const { rows } = await world.database.pool.query<{ authors: number; n: number }>(
      `select count(distinct v.author ->> 'run')::int as authors, count(*)::int as n
        from file_versions v join files f on f.id = v.file_id
        where f.workspace_id = $1 and v.author ->> 'kind' = 'run'`,
      [space.id],
    );
    expect(rows[0]).toEqual({ authors: EXECUTORS, n: EDITS });
  },
);
