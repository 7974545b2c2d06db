// Agents that coordinate through the file of their plan, with a model that answers by what it is sent.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, until } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { newSpace, get } from '../files/support.ts';
import { ENV, startProvider, type ProviderServer } from '../models/server.ts';
import { MODEL } from '../models/support.ts';
import type { Reply } from '../models/wire/reply.ts';

const env: Record<string, string> = { ...ENV };
let server: ProviderServer;
beforeAll(async () => {
  server = await startProvider((request) => answer(JSON.stringify(request)));
  env['OPENAI_BASE_URL'] = `${server.url}/v1`;
});
const world = usePod(env);
afterAll(() => server[Symbol.asyncDispose]());

const NOTE = 'The licence of the third database is unclear: leave it out.';
let calls = 0;
const says = (text: string): Reply => ({ said: [{ kind: 'text', pieces: [text] }] });
const uses = (tool: string, input: object): Reply => ({
  said: [{ kind: 'call', id: `call-${(calls += 1)}`, tool, pieces: [JSON.stringify(input)] }],
});

/** The reader reads the plan until it finds what the finder has written there, and only then writes its page. */
function answer(request: string): Reply {
  const plan = /\/plans\/agents-[0-9a-f-]+\.plan/.exec(request)?.[0];
  if (plan === undefined) return says('Merged.');
  if (request.includes('Your brief: find'))
    return request.includes('Notes of the agents for each other; they change')
      ? request.includes(NOTE)
        ? says('I left a note.')
        : uses('edit', {
            path: plan,
            edits: [
              {
                old_text: 'change nothing about the plan:\n',
                new_text: `change nothing about the plan:\n\n${NOTE}\n`,
              },
            ],
          })
      : uses('read', { path: plan });
  if (!request.includes(NOTE)) return uses('read', { path: plan });
  return request.includes('/pages/databases.md')
    ? says('I left it out.')
    : uses('write', { path: '/pages/databases.md', content: 'Two databases; the third is left out.' });
}

test('WS-15 an agent acts on what another one wrote into the plan meanwhile', async () => {
  const space = await newSpace(world.url);
  const { body } = await ask('POST', `${space.url}/chats`, {
    goal: 'A comparison',
    mode: 'parallel_agents',
    model: MODEL.compatible,
    limits: { steps: 500 },
    agents: [
      { role: 'writer', brief: 'compare the databases' },
      { role: 'writer', brief: 'find what is unclear' },
    ],
  });
  const run = await until('the run has ended', async () => {
    const found = (await ask('GET', `${world.url}/api/runs/${body.run.id}`)).body;
    return ['done', 'error'].includes(found.status) && found;
  });
  expect(run).toMatchObject({ status: 'done', error: null });
  expect((await get(space, 'pages/databases.md')).bytes.toString()).toContain('left out');
  const { rows } = await world.database.pool.query<{ path: string; run: string }>(
    `select f.path, v.author ->> 'run' as run from file_versions v join files f on f.id = v.file_id
      where f.workspace_id = $1 and v.author ->> 'kind' = 'run' order by v.at`,
    [space.id],
  );
  // The note came first, from another agent's run, and the plan still stands.
  expect(rows.map(({ path }) => path)).toEqual([expect.stringMatching(/\.plan$/), '/pages/databases.md']);
  expect(rows[0]!.run).not.toBe(rows[1]!.run);
});
