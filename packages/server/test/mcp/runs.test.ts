// Runs that call the tools of MCP servers, on pods in processes of their own: also of pods and servers that are killed.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { call as request, createThread, followToEnd, send, until, type Frame } from '@continuo/testkit';
import {
  brokenInvariants,
  freshDatabase,
  MCP_SERVER,
  startPod,
  type TestDatabase,
  type TestPod,
} from '@continuo/testkit/fixtures';
import { isAlive, line, lines, MEMORY } from './support.ts';

const WORKSPACE = '00000000-0000-7000-8000-000000000001';
let database: TestDatabase;
let folder: string;
const pods: TestPod[] = [];
beforeAll(async () => {
  database = await freshDatabase();
  folder = await mkdtemp(join(tmpdir(), 'continuo-mcp-'));
});
// Otherwise every pod would start every server.
afterEach(() => Promise.all(pods.splice(0).map((each) => each.end())));
afterAll(async () => {
  const broken = await brokenInvariants(database.pool);
  await database.drop();
  await rm(folder, { recursive: true, force: true });
  expect(broken).toEqual([]);
});

async function pod(): Promise<TestPod> {
  const started = await startPod({ databaseUrl: database.url, env: { OPENAI_API_KEY: 'not-for-children' } });
  pods.push(started);
  return started;
}

const put = (url: string, name: string, args: string[], env: Record<string, string> = {}) =>
  request('PUT', `${url}/api/v1/workspaces/${WORKSPACE}/mcp-servers/${name}`, {
    transport: 'stdio',
    command: process.execPath,
    args,
    env,
  });

let files = 0;
async function recording(): Promise<string> {
  files += 1;
  const file = join(folder, `record-${files}.txt`);
  await writeFile(file, '');
  return file;
}

const play = async (url: string, ...steps: { calls?: object[]; text?: string }[]): Promise<string> =>
  (await send(url, await createThread(url), { steps })).id;
const ends = (frames: readonly Frame[]) =>
  frames.filter(({ event }) => event === 'tool_end').map(({ data }) => data);

test('PLUS-4 a run that waits for a server that does not start says so', async () => {
  const { url } = await pod();
  await put(url, 'sleeper', ['-e', 'setInterval(() => {}, 1000)']);
  const thread = await createThread(url);
  const run = await send(url, thread, { steps: [{ text: 'Here I am.' }] });
  const why = () => request<{ sentence: string }>('GET', `${url}/api/runs/${run.id}/why`);
  await until('it says so', async () => (await why()).sentence.includes('MCP server sleeper to start'));
  await request('DELETE', `${url}/api/v1/workspaces/${WORKSPACE}/mcp-servers/sleeper`);
  const frames = await followToEnd(() => [url], run.id);
  expect(frames.at(-1)!.data).toEqual({ status: 'done' });
});

test('PLUS-4 a run calls a tool of a real MCP server, from its first step on', async () => {
  const { url } = await pod();
  const file = join(folder, 'memory.jsonl');
  await put(url, 'memory', [MEMORY], { MEMORY_FILE_PATH: file });
  const entities = [{ name: 'Ada', entityType: 'person', observations: [] }];
  const id = await play(
    url,
    { calls: [{ tool: 'memory__create_entities', input: { entities } }] },
    {
      calls: [{ tool: 'memory__search_nodes', input: { query: 'Ada' } }, { tool: 'memory__create_entities' }],
    },
    { text: 'done' },
  );
  const [created, found, wrong] = ends(await followToEnd(() => [url], id));
  expect(created).toMatchObject({ success: true });
  expect(found).toMatchObject({ success: true, output: { structured: { entities: [{ name: 'Ada' }] } } });
  expect(wrong).toMatchObject({
    success: false,
    output: { error: expect.stringContaining('entities: is missing') },
  });
});

test('PLUS-4 kill -9 of the pod in a call: the outcome is unknown, and the call is made once', async () => {
  const file = await recording();
  const first = await pod();
  // It does not end by itself when its input is closed.
  await put(first.url, 'fix', [MCP_SERVER], { RECORD: file, STUBBORN: '1' });
  const id = await play(
    first.url,
    { calls: [{ tool: 'fix__hang', input: { note: 'only once' } }] },
    { text: 'I do not know whether it was done' },
  );
  await line(file, /hang only once/);
  const started = Number((await line(file, /started (\d+)/))[1]);
  expect(isAlive(started)).toBe(true);
  first.kill('SIGKILL');
  const second = await pod();
  const frames = await followToEnd(() => [second.url], id);
  expect(ends(frames)).toEqual([
    expect.objectContaining({
      tool: 'fix__hang',
      success: false,
      outcome: 'unknown',
      output: { error: expect.stringContaining('outcome unknown') },
    }),
  ]);
  expect(frames.filter(({ event }) => event === 'tool_start')).toHaveLength(1);
  expect(frames.at(-1)!.data).toEqual({ status: 'done' });
  expect((await lines(file)).filter((each) => each.startsWith('hang'))).toEqual(['hang only once']);
  await until('the first pod’s server is gone', () => !isAlive(started));
});

test('PLUS-4 kill -9 of the pod in a call to a server that is then gone: still unknown, not a missing tool', async () => {
  const file = await recording();
  const first = await pod();
  await put(first.url, 'fix', [MCP_SERVER], { RECORD: file });
  const id = await play(
    first.url,
    { calls: [{ tool: 'fix__hang', input: { note: 'lost' } }] },
    { text: 'x' },
  );
  await line(file, /hang lost/);
  first.kill('SIGKILL');
  await first.exited;
  await database.pool.query("delete from mcp_servers where name = 'fix'");
  const second = await pod();
  const [end] = ends(await followToEnd(() => [second.url], id));
  expect(end).toMatchObject({ success: false, outcome: 'unknown' });
  expect((await lines(file)).filter((each) => each.startsWith('hang'))).toEqual(['hang lost']);
});

test('PLUS-4 a server that dies in a call: the outcome is unknown, the run goes on, and nothing is repeated', async () => {
  const file = await recording();
  const { url } = await pod();
  await put(url, 'fix', [MCP_SERVER], { RECORD: file });
  const id = await play(
    url,
    {
      calls: [
        { tool: 'fix__die', input: { note: 'once' } },
        { tool: 'fix__note', input: { note: 'after' } },
      ],
    },
    { text: 'done' },
  );
  const frames = await followToEnd(() => [url], id);
  const [died, after] = ends(frames);
  expect(died).toMatchObject({ success: false, outcome: 'unknown' });
  expect(after).toMatchObject({ success: false });
  expect(after).not.toHaveProperty('outcome');
  expect(frames.at(-1)!.data).toEqual({ status: 'done' });
  expect((await lines(file)).filter((each) => !each.startsWith('started'))).toEqual(['die once']);
});

test('a server that is removed on one pod ends on the others', async () => {
  const file = await recording();
  const [one, other] = [await pod(), await pod()];
  await put(one.url, 'fix', [MCP_SERVER], { RECORD: file });
  const servers = `/api/v1/workspaces/${WORKSPACE}/mcp-servers`;
  await request('GET', `${other.url}${servers}`);
  const pids = await line(file, /started (\d+)\nstarted (\d+)/);
  await request('DELETE', `${one.url}${servers}/fix`);
  await until('both are gone', () => !pids.slice(1).some((pid) => isAlive(Number(pid))));
});

test('a run that is canceled cancels its call at the server after the grace, and a stopped pod leaves no process', async () => {
  const file = await recording();
  const last = await pod();
  await put(last.url, 'fix', [MCP_SERVER], { RECORD: file });
  const id = await play(last.url, { calls: [{ tool: 'fix__hang', input: { note: 'c' } }] });
  await line(file, /hang c/);
  await request('POST', `${last.url}/api/runs/${id}/cancel`, {});
  const [end] = ends(await followToEnd(() => [last.url], id));
  expect(end).toMatchObject({ success: false, outcome: 'unknown' });
  await line(file, /canceled c/);

  const started = Number((await line(file, /started (\d+)/))[1]);
  last.kill('SIGTERM');
  expect(await last.exited).toEqual({ code: 0, signal: null });
  expect(isAlive(started)).toBe(false);
});
