// kill -9 in the middle of calls that change files: each change is made exactly once, and the log and the rows agree.

import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { call, createThread, followToEnd, isEnd, send, until, type Frame } from '@continuo/testkit';
import {
  brokenInvariants,
  freshDatabase,
  startPod,
  type TestDatabase,
  type TestPod,
} from '@continuo/testkit/fixtures';

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

const SCRIPT = {
  steps: [
    { calls: [{ tool: 'write', input: { path: 'a/x.md', content: 'one\ntwo\n' } }] },
    { calls: [{ tool: 'write', input: { path: 'a/y.md', content: 'other\n' } }] },
    { calls: [{ tool: 'edit', input: { path: 'a/x.md', edits: [{ old_text: 'two', new_text: 'zwei' }] } }] },
    { calls: [{ tool: 'move', input: { from: 'a', to: 'b' } }] },
    { calls: [{ tool: 'remove', input: { path: 'b/y.md' } }] },
    { text: 'done' },
  ],
};

async function versionsIn(database: TestDatabase): Promise<string[]> {
  const { rows } = await database.pool.query<{ line: string }>(
    `select v.path || ' v' || v.version || ' ' || v.op || ' ' || (v.author ->> 'call') as line
      from file_versions v join changes c on c.object_id = v.file_id and (c.data ->> 'v')::int = v.version order by c.seq`,
  );
  return rows.map(({ line }) => line);
}

// The first change is a write, the fourth a folder's move.
const MOMENTS = [
  'tool.before_effect.transactional',
  'tool.after_effect.transactional',
  ...['before', 'inside', 'commit', 'after'].map((moment) => `transact.${moment}.file_updated`),
];
const ALL = MOMENTS.flatMap((moment) => [1, 2, 3, 4, 5].map((nth) => `${moment}#${nth}`));
const POINTS =
  process.env.CONTINUO_CHAOS === 'long'
    ? ALL
    : ALL.filter((point) => /effect.*#1|before.file.*#4|(inside|commit).*#[14]|after.file.*#1/.test(point));

test.each(POINTS)(
  'WS-20 a pod that is killed at %s makes each change exactly once',
  { timeout: 60_000 },
  async (fault) => {
    const database = await freshDatabase();
    cleanups.push(() => database.drop());
    const home = await mkdtemp(join(tmpdir(), 'continuo-file-tools-'));
    cleanups.push(() => rm(home, { recursive: true, force: true }));
    const env = { CONTINUO_HOME: home };
    const victim = await startPod({ databaseUrl: database.url, fault, env });
    cleanups.push(() => victim.end());
    const thread = await createThread(victim.url);
    const key = { 'idempotency-key': randomUUID() };
    // The pod may be killed before its response to the message is sent.
    await send(victim.url, thread, SCRIPT, key).catch(() => null);
    expect(await victim.exited).toMatchObject({ signal: 'SIGKILL' });
    const heir: TestPod = await startPod({ databaseUrl: database.url, env });
    cleanups.push(() => heir.end());
    const run = await send(heir.url, thread, SCRIPT, key);
    const frames = await followToEnd(() => [heir.url], run.id);
    expect(frames.at(-1)!.data).toEqual({ status: 'done' });
    const data = (event: string): Frame['data'][] =>
      frames.filter((frame) => frame.event === event).map((frame) => frame.data);
    expect(data('tool_end').map(({ tool, success }) => [tool, success])).toEqual(
      ['write', 'write', 'edit', 'move', 'remove'].map((tool) => [tool, true]),
    );
    const updates = data('file_updated').map(
      ({ path, v, call: id }) => `${String(path)} v${String(v)} ${String(id)}`,
    );
    const versions = await versionsIn(database);
    expect(versions.map((line) => line.replace(/ (write|move|remove) /, ' '))).toEqual(updates);
    expect(versions.map((line) => line.replace(/ \S+$/, ''))).toEqual([
      '/a/x.md v1 write',
      '/a/y.md v1 write',
      '/a/x.md v2 write',
      '/b/x.md v3 move',
      '/b/y.md v2 move',
      '/b/y.md v3 remove',
    ]);
    // What was committed and not flushed when the pod died comes to the disk, too. After the last change, the run may end
    // before the heir has opened the folder.
    const folder = join(home, 'workspaces', 'default', 'b');
    await until('the folder has the file and no other', async () => {
      const names = await readdir(folder);
      return names.length === 1 && names[0] === 'x.md';
    });
    expect(await readFile(join(folder, 'x.md'), 'utf8')).toBe('one\nzwei\n');
    expect(await brokenInvariants(database.pool)).toEqual([]);
  },
);

test('WS-20 a run that is canceled during a write ends canceled, with the whole write or nothing of it', async () => {
  const database = await freshDatabase();
  cleanups.push(() => database.drop());
  const pod = await startPod({ databaseUrl: database.url, leaseSeconds: 5 });
  cleanups.push(() => pod.end());
  const holder = await database.pool.connect();
  // The write's transaction stands still at its last lock.
  await holder.query('begin; select from workspaces for no key update');
  const run = await send(pod.url, await createThread(pod.url), SCRIPT);
  for (;;) {
    const { rowCount } = await database.pool.query(
      "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%write_file%' and datname = current_database()",
    );
    if (rowCount! > 0) break;
  }
  await call('POST', `${pod.url}/api/runs/${run.id}/cancel`, {});
  await holder.query('rollback');
  holder.release();
  const frames = await followToEnd(() => [pod.url], run.id);
  expect(isEnd(frames.at(-1))).toBe(true);
  expect(frames.at(-1)!.data).toEqual({ status: 'canceled' });
  const ends = frames.filter(({ event }) => event === 'tool_end');
  // The call was running and may end within its grace period: then its rows and its event are there.
  expect(ends).toHaveLength(1);
  const updates = frames.filter(({ event }) => event === 'file_updated');
  expect(updates).toHaveLength(ends[0]!.data.success === true ? 1 : 0);
  expect(await versionsIn(database)).toHaveLength(updates.length);
  expect(await brokenInvariants(database.pool)).toEqual([]);
});
