// A disk that is full, as the database tells it (53100): what callers are answered, what /readyz says, and what becomes of a run.

import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, createThread, followToEnd, seen, send, until } from '@continuo/testkit';
import { freshDatabase, startPod, type TestDatabase, type TestPod } from '@continuo/testkit/fixtures';

let database: TestDatabase;
let pod: TestPod;

beforeAll(async () => {
  database = await freshDatabase();
  pod = await startPod({ databaseUrl: database.url, env: { CONTINUO_LOG_LEVEL: 'info' } });
  await database.pool.query(`
    create function no_room() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
    create function no_room_for_tables() returns event_trigger language plpgsql as $$
    begin raise exception 'could not create file: No space left on device' using errcode = '53100'; end $$`);
});

afterAll(async () => {
  await pod.end();
  await database.drop();
});

/** From now on nothing can be written to a table, and no new one made; resolves with what makes room again. */
async function fill(table: string): Promise<() => Promise<unknown>> {
  await database.pool.query(`
    create trigger full_disk before insert on ${table} for each statement execute function no_room();
    create event trigger full_disk on ddl_command_start when tag in ('CREATE TABLE') execute function no_room_for_tables()`);
  return () => database.pool.query(`drop trigger full_disk on ${table}; drop event trigger full_disk`);
}

test('a write to a full disk is 507 storage_full, and /readyz says so until there is space', async () => {
  const thread = await createThread(pod.url);
  const ready = () => ask('GET', `${pod.url}/readyz`);
  expect(await ready()).toMatchObject({ status: 200, body: { storage: 'ok' } });
  const makeRoom = await fill('messages');
  const refused = await ask('POST', `${pod.url}/api/threads/${thread}/messages`, { content: 'hello' });
  expect(refused).toMatchObject({ status: 507, body: { code: 'storage_full' } });
  expect(refused.body.detail).toContain('is full');
  expect(await ready()).toMatchObject({ status: 503, body: { status: 'unready', storage: 'full' } });
  await makeRoom();
  expect(await ready()).toMatchObject({ status: 200, body: { status: 'ready', storage: 'ok' } });
});

test('a run that meets a full disk waits for space, and loses nothing', async () => {
  const thread = await createThread(pod.url);
  const run = await send(pod.url, thread, { steps: [{ tokens: 100, delay_ms: 5 }] });
  await seen(pod.url, run.id, 'token');
  const makeRoom = await fill('events');
  await until(
    'the pod says that its storage is full',
    async () => (await ask('GET', `${pod.url}/readyz`)).body.storage === 'full',
  );
  await makeRoom();
  const frames = await followToEnd(() => [pod.url], run.id);
  expect(frames.at(-1)!.data).toEqual({ status: 'done' });
  expect(frames.filter(({ event }) => event === 'message_start')).toHaveLength(1);
});

test('an upload that is broken off is one line of the log, without a stack', async () => {
  const before = pod.output().length;
  const { hostname, port, host } = new URL(pod.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  const head = `POST /api/threads HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n`;
  await new Promise((resolve) => socket.write(`${head}{"title":`, resolve));
  socket.destroy();
  await pod.logged('disconnected before its request was complete');
  expect(pod.output().slice(before)).not.toMatch(/stack|request failed/);
});
