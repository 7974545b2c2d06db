// The log itself says no: RUN-4.

import { expect, test } from 'vitest';
import { ask, createThread, framesOf, send } from '@continuo/testkit';
import { count, usePod } from '@continuo/testkit/fixtures';

const world = usePod();
const REFUSED = { code: 'CN002', message: expect.stringContaining('append-only') };

async function finished(): Promise<{ thread: string; run: string; log: unknown }> {
  const thread = await createThread(world.url);
  const { id: run } = await send(world.url, thread, {
    steps: [{ text: 'kept for good', calls: [{ tool: 'pure', input: { note: 'n' } }] }, { text: 'end' }],
  });
  await framesOf(world.url, run);
  return { thread, run, log: await read(thread) };
}

async function read(thread: string): Promise<unknown> {
  return (
    await world.database.pool.query(
      'select *, data::text as json from events where thread_id = $1 order by seq',
      [thread],
    )
  ).rows;
}

test.each([
  "update events set type = 'token'",
  "update events set data = '{}' where seq = 1",
  'update events set seq = seq + 1000 where false',
  'delete from events',
  'delete from events where seq = 1',
  'truncate events',
  'truncate events cascade',
  "insert into events select * from events limit 1 on conflict (thread_id, seq) do update set type = 'final'",
  "merge into events e using (select 1) s on true when matched then update set type = 'x'",
  'with gone as (delete from events returning 1) select * from gone',
])('RUN-4 the database refuses: %s', async (statement) => {
  const { thread, log } = await finished();
  await expect(world.database.pool.query(statement)).rejects.toMatchObject(REFUSED);
  expect(await read(thread)).toEqual(log);
});

test('RUN-4 a seq that is taken cannot be taken again', async () => {
  const { thread, log } = await finished();
  await expect(
    world.database.pool.query('insert into events select * from events where thread_id = $1 and seq = 1', [
      thread,
    ]),
  ).rejects.toMatchObject({ code: '23505' });
  expect(await read(thread)).toEqual(log);
});

test('RUN-4 one function purges a whole thread, and nothing else', async () => {
  const gone = await finished();
  const kept = await finished();
  await ask('POST', `${world.url}/api/threads/${gone.thread}/messages`, {
    content: '{"steps":[{"error":{"code":"x","message":"y"}}]}',
  }).then(async ({ body }) => {
    await framesOf(world.url, body.run.id);
    const again = await ask('POST', `${world.url}/api/runs/${body.run.id}/retry`);
    await framesOf(world.url, again.body.run.id);
  });
  await world.database.pool.query('select purge_thread($1)', [gone.thread]);
  for (const table of ['events', 'messages', 'sessions', 'runs']) {
    expect(await count(world.database, `${table} where thread_id = $1`, [gone.thread])).toBe(0);
    expect(await count(world.database, `${table} where thread_id = $1`, [kept.thread])).toBeGreaterThan(0);
  }
  expect(await read(kept.thread)).toEqual(kept.log);
  expect((await ask('GET', `${world.url}/api/threads/${gone.thread}`)).status).toBe(404);
  expect((await ask('GET', `${world.url}/api/runs/${gone.run}/events`)).status).toBe(404);
});

test('RUN-4 after a purge, also in the same transaction, the log refuses as before', async () => {
  const { thread } = await finished();
  const client = await world.database.pool.connect();
  try {
    await client.query('begin');
    await client.query('select purge_thread($1)', [thread]);
    await expect(client.query('delete from events')).rejects.toMatchObject(REFUSED);
  } finally {
    await client.query('rollback');
    client.release();
  }
  expect(await count(world.database, 'events where thread_id = $1', [thread])).toBeGreaterThan(0);
});
