// kill -9 of pods that execute a run with children, at every commit that concerns them and at random. CONTINUO_CHAOS=long: more often.

import { v7 as uuidv7 } from 'uuid';
import { afterAll, expect, onTestFailed, test } from 'vitest';
import { until } from '@continuo/testkit';
import { brokenInvariants, freshDatabase } from '@continuo/testkit/fixtures';
import { Fleet } from './killing/fleet.ts';
import { killAtEach, pointsAround } from './killing/points.ts';
import { createRandom, long } from './support/seeded.ts';

const POINTS = pointsAround(['child_start', 'child_end', 'state', 'final']);
const ROUNDS = long ? 8 : 1;
const AT_RANDOM = long ? 40 : 3;
const WORKSPACE = '00000000-0000-7000-8000-000000000001';

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

test(
  'PLAN-6 pods are killed at any moment, and a run with children goes on: every child runs once, and every end is taken in once',
  { timeout: 600_000 },
  async () => {
    const random = createRandom();
    console.log(`CONTINUO_CHAOS_SEED=${random.seed}`);
    const database = await freshDatabase();
    cleanups.push(() => database.drop());
    const fleet = new Fleet({ databaseUrl: database.url });
    cleanups.push(() => fleet.end());
    onTestFailed(() => console.log(fleet.logs));
    const child = (note: string) => ({
      steps: [
        { tokens: 3, delay_ms: 2, calls: [{ tool: 'transactional', input: { note } }] },
        { tokens: 3, delay_ms: 2 },
      ],
    });
    let started = 0;
    const start = async () => {
      const [thread, run, message] = [uuidv7(), uuidv7(), uuidv7()];
      const n = (started += 1);
      const waves = [0, 1, 2, 3].map((wave) => [0, 1].map((each) => child(`${n}.${wave}.${each}`)));
      await database.pool.query(
        `with t as (insert into threads (id, workspace_id, title, wake_at) values ($1, $4, 'parent', now()) returning id),
          m as (insert into messages (id, workspace_id, thread_id, run_id, ordinal, seq, role, content)
            select $3, $4, id, $2, 1, 0, 'user', '{"text":"go"}' from t)
          insert into runs (id, workspace_id, thread_id, ordinal, message_id, model, role, principal, directive)
            select $2, $4, id, 1, $3, 'offline/script', 'assistant', '{"kind":"local"}', $5 from t`,
        [thread, run, message, WORKSPACE, JSON.stringify({ mode: 'waves', waves })],
      );
    };
    const open = async () =>
      (
        await database.pool.query<{ n: number }>(
          "select count(*)::int as n from runs where directive is not null and status in ('queued', 'running')",
        )
      ).rows[0]!.n;
    const keepBusy = async () => {
      for (let missing = 3 - (await open()); missing > 0; missing -= 1) await start();
    };

    const named = Array.from({ length: ROUNDS }, () => POINTS).flat();
    await killAtEach({ fleet, random, points: [...named, ...Array<null>(AT_RANDOM).fill(null)], keepBusy });
    fleet.fill(2);
    await until('every run has ended', async () => (await open()) === 0);

    const { rows } = await database.pool.query<{
      status: string;
      children: number;
      ends: number;
      effects: number;
    }>(
      `select p.status, (select count(*)::int from runs c where c.parent_run = p.id and c.status = 'done') as children,
        (select count(distinct e.data ->> 'run')::int from events e where e.thread_id = p.thread_id and e.type = 'child_end') as ends
       from runs p where p.directive is not null`,
    );
    expect(rows).toEqual(Array(started).fill({ status: 'done', children: 8, ends: 8 }));
    const ends = await database.pool.query("select from events where type = 'child_end'");
    expect(ends.rowCount).toBe(started * 8);
    const effects = await database.pool.query<{ n: number; notes: number }>(
      "select count(*)::int as n, count(distinct note)::int as notes from effects where kind = 'transactional'",
    );
    expect(effects.rows).toEqual([{ n: started * 8, notes: started * 8 }]);
    expect(await brokenInvariants(database.pool)).toEqual([]);
  },
);
