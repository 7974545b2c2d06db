// `continuo replay`: the stored logs of a database through this version's code.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { ask, until } from '@continuo/testkit';
import { emptyDatabase, startPod, usePod } from '@continuo/testkit/fixtures';
import { continuo } from './support.ts';

const world = usePod();
let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'continuo-replay-'));
  file = join(folder, 'replay.gz');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const say = (text: string, ...more: string[]) => continuo(['chat', text, '--url', world.url, ...more]);
const replay = (...args: string[]) =>
  continuo(['replay', ...args], { cwd: folder, env: { DATABASE_URL: world.database.url, NO_COLOR: '1' } });
interface Report {
  events: number;
  differences: { thread: string; what: string; text: string }[];
}
const checked = async (...args: string[]) => JSON.parse((await replay(...args, '--json')).stdout) as Report;

/** As nobody may: the triggers refuse it. */
async function tamper(sql: string, values: unknown[] = []): Promise<void> {
  const client = await world.database.pool.connect();
  try {
    await client.query("set session_replication_role = 'replica'");
    await client.query(sql, values);
  } finally {
    client.release(true);
  }
}

const script = (steps: object[]) => JSON.stringify({ steps });

beforeAll(async () => {
  await say('hello');
  await say(
    script([{ calls: [{ tool: 'write', input: { path: '/a.md', content: 'one' } }] }, { text: 'written' }]),
    '--model',
    'offline/script',
  );
  // Long enough for a snapshot of the fold, and to be compared at some of its events only.
  await say(
    script([{ text: Array.from({ length: 600 }, (_, n) => `word${n}`).join(' ') }]),
    '--model',
    'offline/script',
  );
});

test('PLUS-13 what one version recorded of the stored logs is what the same code makes of them, also when they have grown', async () => {
  const recorded = await replay('--record', file);
  expect(recorded).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Recorded how this version reads \d+ events of 3 chats, in/),
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['replay.gz']);
  await say('hello again');
  const again = await replay('--check', file);
  expect(again).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+ events of 4 chats: no difference\.\n$/),
  });
  expect(await replay('--check')).toMatchObject({ code: 0 });
});

test('PLUS-13 a log of which the code makes something else is named, with the line', async () => {
  await replay('--record', file);
  const lines = gunzipSync(readFileSync(file)).toString();
  expect(lines).toContain('written');
  writeFileSync(file, gzipSync(lines.replaceAll('written', 'rewritten')));
  const { code, stdout, stderr } = await replay('--check', file);
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/differences\.\n$/) });
  expect(stdout).toMatch(/chat [0-9a-f-]{36}, frames: line \d+\n {2}stored: .*rewritten/);
  const { differences } = await checked('--check', file);
  expect(new Set(differences.map(({ what }) => what))).toEqual(
    new Set(['state', 'prompt', 'frames', 'transcript', 'view']),
  );
  expect(new Set(differences.map(({ thread }) => thread)).size).toBe(1);
});

test('PLUS-13 a status that is not the fold of its log, a gap and a wrong snapshot are found without a recording', async () => {
  const { rows } = await world.database.pool.query<{ id: string; thread_id: string }>(
    "select id, thread_id from runs where status = 'done' order by queued_at limit 1",
  );
  const [run] = rows;
  await tamper("update runs set status = 'error' where id = $1", [run!.id]);
  const only = ['--check', '--chat', run!.thread_id];
  expect((await checked(...only)).differences).toEqual([
    { thread: run!.thread_id, what: 'status', text: `run ${run!.id} is error, and by its log done` },
  ]);
  await tamper("update runs set status = 'done' where id = $1", [run!.id]);
  expect((await checked(...only)).differences).toEqual([]);
  await tamper('create table taken as select * from events where thread_id = $1 and seq = 3', [
    run!.thread_id,
  ]);
  await tamper('delete from events where thread_id = $1 and seq = 3', [run!.thread_id]);
  expect((await checked(...only)).differences).toContainEqual({
    thread: run!.thread_id,
    what: 'log',
    text: 'event 4 comes where 3 should',
  });
  // The log is whole again for the invariants that every test file ends with.
  await tamper('insert into events select * from taken');

  const { rows: snapshots } = await world.database.pool.query<{ thread_id: string }>(
    'select thread_id from thread_snapshots',
  );
  expect(snapshots).toHaveLength(1);
  const { thread_id: long } = snapshots[0]!;
  expect((await checked('--check', '--chat', long)).differences).toEqual([]);
  await tamper(
    `update thread_snapshots set state = replace(state::text, 'word5', 'word6')::json where thread_id = $1`,
    [long],
  );
  expect((await checked('--check', '--chat', long)).differences).toMatchObject([
    { thread: long, what: 'snapshot' },
  ]);
});

test('PLUS-13 replay says what it needs, and refuses what is no recording', async () => {
  expect(await replay()).toMatchObject({ code: 2, stderr: expect.stringContaining('--record FILE') });
  expect(await replay('--check', 'a', '--record', 'b')).toMatchObject({ code: 2 });
  expect(await replay('--check', join(folder, 'none.gz'))).toMatchObject({ code: 4 });
  writeFileSync(file, 'not packed');
  expect(await replay('--check', file)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not a recording that this version can read'),
  });
});

/** A backup of a database with the migrations up to 018: three finished chats, a run that waits for approval, files, a project. */
const EARLIER = join(import.meta.dirname, 'fixtures/database-018.zip');

test('PLUS-13 a database of an earlier schema is upgraded: its logs fold as they did, its chats go on, and its approval still waits', async () => {
  const database = await emptyDatabase();
  onTestFinished(() => database.drop());
  const env = { DATABASE_URL: database.url, NO_COLOR: '1' };
  const run = (...args: string[]) => continuo(args, { cwd: folder, env });
  expect(await run('restore', EARLIER)).toMatchObject({ code: 0 });
  expect(await run('replay', '--check')).toMatchObject({
    code: 0,
    stdout: '216 events of 4 chats: no difference.\n',
  });
  const pod = await startPod({ databaseUrl: database.url });
  onTestFinished(() => pod.end());
  const at = (...args: string[]) => run(...args, '--url', pod.url);
  const { items: waiting } = JSON.parse((await at('approve', '--json')).stdout) as {
    items: { id: string; run_id: string }[];
  };
  expect(waiting).toHaveLength(1);
  expect(await at('approve', waiting[0]!.id)).toMatchObject({ code: 0 });
  expect(await at('tail', waiting[0]!.run_id)).toMatchObject({ code: 0 });
  expect((await at('files', 'ls', '/notes')).stdout).not.toContain('b.md');
  const { items: runs } = JSON.parse((await at('runs', '--json', '--status', 'done')).stdout) as {
    items: { thread_id: string }[];
  };
  expect(await at('chat', script([{ text: 'and on' }]), '--chat', runs[0]!.thread_id)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('and on'),
  });
  expect(await run('replay', '--check')).toMatchObject({ code: 0 });
});

/**
 * A backup with the migrations up to 029: a campaign of which one article is live and the next one waits for a person, a page of which
 * another version is scheduled, a read key, and the state of an executor.
 */
const CAMPAIGN = join(import.meta.dirname, 'fixtures/database-029.zip');

test('PLUS-13 after an upgrade, what is live and scheduled stays as it was, a campaign goes on, and an executor gets its state', async () => {
  const database = await emptyDatabase();
  onTestFinished(() => database.drop());
  const env = { DATABASE_URL: database.url, NO_COLOR: '1' };
  const run = (...args: string[]) => continuo(args, { cwd: folder, env });
  expect(await run('restore', CAMPAIGN)).toMatchObject({ code: 0 });
  expect(await run('replay', '--check')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d{3} events of 14 chats: no difference\.\n$/),
  });
  const pod = await startPod({ databaseUrl: database.url, env: { CONTINUO_MODEL: 'offline/instant' } });
  onTestFinished(() => pod.end());
  const workspace = `${pod.url}/api/v1/workspaces/default`;
  const live = (piece: string) => ask('GET', `${pod.url}/api/v1/content/default/${piece}`);
  const about = await live('pages/about');
  expect(about.body).toMatchObject({
    version: 1,
    markdown: expect.stringContaining('We bake.') as string,
    first_published_at: '2026-11-19T21:08:43.000Z',
  });
  const [, image] = /src="([^"]+)"/.exec(about.body.html as string)!;
  const shown = await fetch(`${pod.url}${image}`);
  expect(
    Buffer.from(await shown.arrayBuffer())
      .subarray(-4)
      .toString(),
  ).toBe('loaf');
  expect((await ask('GET', `${workspace}/content/pages`)).body.items).toMatchObject([
    { slug: 'about', scheduled: { version: 2, at: '2031-01-01T09:00:00.000Z', problem: null } },
  ]);
  expect((await ask('GET', `${workspace}/read-keys`)).body.items).toMatchObject([{ name: 'Site' }]);

  expect((await live('articles/bread')).status).toBe(200);
  const { items: waiting } = (await ask('GET', `${workspace}/approvals`)).body as {
    items: { id: string; input: object }[];
  };
  expect(waiting).toMatchObject([{ input: { type: 'articles', slug: 'bread-first-steps' } }]);
  expect((await live('articles/bread-first-steps')).status).toBe(404);
  await ask('POST', `${workspace}/approvals/${waiting[0]!.id}`, { decision: 'approve' });
  await until('it is live', async () => (await live('articles/bread-first-steps')).status === 200);

  const executed = '01a1f5a3-ece3-7766-9d9e-e6e368450bda';
  const asked = { content: 'And Tuesday?', model: 'executor/planner' };
  expect((await ask('POST', `${pod.url}/api/threads/${executed}/messages`, asked)).status).toBe(202);
  const claim = await ask('POST', `${pod.url}/api/v1/executors/planner/claim`, { wait: 30 });
  expect(claim.body).toMatchObject({ request: { state: { asked: 'Monday' } } });
});
