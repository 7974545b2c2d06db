// More than a thread can take, and a database that says no.

import { expect, test } from 'vitest';
import { ask, createThread, framesOf, readRun, seen, send } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';

const world = usePod();

test('RUN-10 a run is canceled at once, however long the queue behind it; a full queue accepts nothing', async () => {
  const thread = await createThread(world.url);
  const hanging = await send(world.url, thread, { steps: [{ text: 'on', hang: true }] });
  await seen(world.url, hanging.id, 'token');
  const large = { steps: [{ text: 'x'.repeat(200_000) }] };
  const waiting = [];
  for (let index = 0; index < 100; index += 1) waiting.push(await send(world.url, thread, large));
  const refused = await ask('POST', `${world.url}/api/threads/${thread}/messages`, { content: '{}' });
  expect(refused).toMatchObject({ status: 429, body: { code: 'queue_full' } });

  expect((await ask('POST', `${world.url}/api/runs/${hanging.id}/cancel`)).status).toBe(200);
  expect((await framesOf(world.url, hanging.id)).at(-1)!.data).toEqual({ status: 'canceled' });
  await Promise.all(waiting.map((run) => ask('POST', `${world.url}/api/runs/${run.id}/cancel`)));
  for (const run of waiting) {
    const { data } = (await framesOf(world.url, run.id)).at(-1)!;
    expect(['canceled', 'done']).toContain(data.status);
  }
});

test('RUN-9 while the database refuses to write, a run waits, the log says so, and then it goes on', async () => {
  const { pool } = world.database;
  await pool.query(`
    create function disk_full() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file' using errcode = '53100'; end $$;
    create trigger disk_full before insert on events for each row execute function disk_full()`);
  const thread = await createThread(world.url);
  const run = await send(world.url, thread, { steps: [{ text: 'after all' }] });
  await world.pod.logged('the disk is full; runs wait');
  expect(await readRun(world.url, run.id)).toMatchObject({ status: 'queued' });
  await pool.query('drop trigger disk_full on events');
  const frames = await framesOf(world.url, run.id);
  expect(frames.filter(({ event }) => event === 'final').map(({ data }) => data.text)).toEqual(['after all']);
});
