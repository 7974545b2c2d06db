// Servers that hang, die, flood or lie: what they can do to the pod is bounded, and said.

import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { schemas } from '@continuo/protocol';
import { until } from '@continuo/testkit';
import { MCP_SERVER } from '@continuo/testkit/fixtures';
import { putServer } from '../../src/mcp/rows.ts';
import { OutcomeUnknown, ToolFailure } from '../../src/tools/tool.ts';
import { call, isAlive, line, lines, node, RUDE, useMcp } from './support.ts';

const world = useMcp();

/** A fixture server of its own, and the file in which it records. */
async function fixture(
  more: Record<string, unknown> = {},
  env: Record<string, string> = {},
  tools: unknown[] = [],
) {
  const workspace = await world.workspace();
  const file = join(world.folder, `${workspace}.txt`);
  await writeFile(file, '');
  await writeFile(`${file}.tools`, JSON.stringify(tools));
  const given = { RECORD: file, TOOLS: `${file}.tools`, ...env };
  await world.put(workspace, 'fix', node([MCP_SERVER], { env: given, ...more }));
  return { workspace, file, ...world.open() };
}

async function rude(mode: string, env: Record<string, string> = {}) {
  const workspace = await world.workspace();
  await world.put(workspace, 'rude', node([RUDE, mode], { env }));
  return { workspace, ...world.open() };
}

const pidIn = async (file: string) => Number((await line(file, /started (\d+)/))[1]);

test('a server that hangs at its start holds runs up for 20 s, and is tried again', async () => {
  const { mcp, clock, workspace, state } = await rude('hang-at-start');
  const tools = mcp.toolsOf(workspace);
  await state(workspace, 'rude', 'connecting');
  clock.advance(19_999);
  expect((await mcp.serversOf(workspace))[0]!.state).toMatchObject({ status: 'connecting' });
  clock.advance(1);
  expect(await tools).toEqual([]);
  const failed = await state(workspace, 'rude', 'failed');
  expect(failed).toMatchObject({ reason: 'it did not start within 20 s', retryAt: failed.since + 1000 });

  clock.advance(1000);
  await state(workspace, 'rude', 'connecting');
  // A second try holds nobody up.
  expect(await mcp.toolsOf(workspace)).toEqual([]);
});

test('a slow server’s tools are absent until it is there', async () => {
  const slow = await rude('hang-at-start');
  const file = join(world.folder, `${slow.workspace}.txt`);
  await writeFile(file, '');
  await world.put(slow.workspace, 'fix', node([MCP_SERVER], { env: { RECORD: file } }));
  const tools = slow.mcp.toolsOf(slow.workspace);
  await slow.state(slow.workspace, 'fix', 'ready');
  slow.clock.advance(20_000);
  expect((await tools).map(({ name }) => name)).toContain('fix__note');
});

test('a server that dies at its start says why, without its secrets, and the pauses double up to 300 s', async () => {
  const { mcp, clock, workspace, state } = await rude('die-at-start', { TOKEN: 'hunter2-secret' });
  expect(await mcp.toolsOf(workspace)).toEqual([]);
  const pauses: number[] = [];
  for (let tries = 0, last = 0; tries < 11; tries += 1) {
    const { since, retryAt, reason } = await state(workspace, 'rude', 'failed', last);
    last = since;
    expect(reason).toBe('it exited with code 4; the end of its stderr: no such thing: [hidden]');
    pauses.push((retryAt - since) / 1000);
    clock.advance(retryAt - since);
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  expect(world.logged()).toContain('an MCP server failed');
  expect(world.logged()).not.toContain('hunter2');
});

test('a program that does not exist is a reason, not a crash', async () => {
  const workspace = await world.workspace();
  const config = schemas.mcpConfig.parse({ transport: 'stdio', command: '/no/such/program' });
  await world.put(workspace, 'none', config);
  const { mcp, state } = world.open();
  expect(await mcp.toolsOf(workspace)).toEqual([]);
  expect((await state(workspace, 'none', 'failed')).reason).toContain('ENOENT');
});

test('a server that was up for a minute is restarted after one second again', async () => {
  const { mcp, clock, workspace, state } = await fixture();
  for (const [up, pause] of [
    [0, 1000],
    [59_999, 2000],
    [60_000, 1000],
  ] as const) {
    const tools = await mcp.toolsOf(workspace);
    const ready = await state(workspace, 'fix', 'ready');
    clock.advance(up);
    await expect(call(tools, 'fix__die')).rejects.toThrow(OutcomeUnknown);
    const failed = await state(workspace, 'fix', 'failed');
    expect([failed.since - ready.since, failed.retryAt - failed.since]).toEqual([up, pause]);
    clock.advance(pause);
    await state(workspace, 'fix', 'ready');
  }
});

test('a server that dies in a call leaves its outcome unknown, and is not called again', async () => {
  const { mcp, clock, workspace, state, file } = await fixture({}, { TOKEN: 'my-secret' });
  const tools = await mcp.toolsOf(workspace);
  const dying = call(tools, 'fix__die', { note: 'once' });
  await expect(dying).rejects.toThrow(OutcomeUnknown);
  await expect(dying).rejects.toThrow(
    'outcome unknown: the connection ended: it exited with code 3; the end of its stderr: these are my last words: [hidden]; the call was not repeated',
  );
  await expect(call(tools, 'fix__note')).rejects.toThrow(/not made: the MCP server fix is not connected/);
  expect(await mcp.toolsOf(workspace)).toEqual([]);
  clock.advance(1000);
  await state(workspace, 'fix', 'ready');
  expect(await call(tools, 'fix__note', { note: 'again' })).toEqual({ text: 'did note again' });
  expect((await lines(file)).filter((each) => each.startsWith('die'))).toEqual(['die once']);
});

test('a call that is not answered in time is canceled at the server, its outcome unknown', async () => {
  const { mcp, clock, workspace, file } = await fixture({ timeout_seconds: 5 });
  const tools = await mcp.toolsOf(workspace);
  const hanging = call(tools, 'fix__hang', { note: 'a' });
  hanging.catch(() => undefined);
  await line(file, /hang a/);
  clock.advance(4999);
  clock.advance(1);
  await expect(hanging).rejects.toThrow(OutcomeUnknown);
  await expect(hanging).rejects.toThrow('the server did not answer within 5 s');
  await line(file, /canceled a/);
  expect(await call(tools, 'fix__note')).toEqual({ text: 'did note' });
});

test('a call whose signal aborts is canceled at the server', async () => {
  const { mcp, workspace, file } = await fixture();
  const tools = await mcp.toolsOf(workspace);
  const stop = new AbortController();
  const hanging = call(tools, 'fix__hang', { note: 'b' }, stop.signal);
  hanging.catch(() => undefined);
  await line(file, /hang b/);
  stop.abort();
  await expect(hanging).rejects.toThrow(OutcomeUnknown);
  await line(file, /canceled b/);
});

test.each([
  ['flood', 'it sent more than 10000 messages within 10 s'],
  ['errors', 'it sent more than 67108864 bytes within 10 s'],
  ['giant', 'it sent a message larger than 8388608 bytes'],
  ['deaf', /it left more than 8388608 bytes unread|it sent more than 67108864 bytes/],
])('a server that sends without end (%s) is ended', async (tool, reason) => {
  const { mcp, workspace, state } = await rude('');
  const tools = await mcp.toolsOf(workspace);
  await expect(call(tools, `rude__${tool}`)).rejects.toThrow(OutcomeUnknown);
  expect((await state(workspace, 'rude', 'failed')).reason).toMatch(reason);
});

test('frames that are no messages, and answers that nobody asked for, are passed over', async () => {
  const { mcp, workspace } = await rude('');
  const tools = await mcp.toolsOf(workspace);
  expect(await call(tools, 'rude__junk')).toEqual({ text: 'fine' });
  expect(await call(tools, 'rude__odd')).toEqual({
    text: '',
    structured: [1, 2],
    notes: ['not shown: smell', 'not shown: unknown'],
  });
  // An answer that is none says nothing of what was done.
  await expect(call(tools, 'rude__wrong')).rejects.toThrow(OutcomeUnknown);
});

test('a result is cut at 256 KiB, and says so', async () => {
  const { mcp, workspace } = await fixture();
  const tools = await mcp.toolsOf(workspace);
  const { text, notes } = (await call(tools, 'fix__huge', { bytes: 300 * 1024 })) as Record<string, string>;
  expect(text!.length).toBe(256 * 1024);
  expect(notes).toEqual([`the text was cut: ${44 * 1024} more bytes`]);
  await expect(call(tools, 'fix__huge', { bytes: 'many' })).rejects.toThrow(/must be integer/);
});

test('an error that a tool reports is a failure that the model can act on', async () => {
  const { mcp, workspace } = await fixture();
  const failing = call(await mcp.toolsOf(workspace), 'fix__fail');
  await expect(failing).rejects.toThrow(ToolFailure);
  await expect(failing).rejects.toThrow('the disk is full');
});

test('text is joined, structured content kept, and the rest told by kind, type and size', async () => {
  const { mcp, workspace } = await fixture();
  const tools = await mcp.toolsOf(workspace);
  expect(await call(tools, 'fix__blocks')).toEqual({
    text: 'one\ntwo',
    structured: { three: 3 },
    notes: ['not shown: image, image/png, 8 bytes', 'not shown: resource_link, file:///b'],
  });
  expect(await call(tools, 'fix__same')).toEqual({ structured: { a: 1 } });
});

test('a server that says its tools changed is asked for them', async () => {
  const { mcp, workspace, tools } = await fixture();
  await call(await mcp.toolsOf(workspace), 'fix__grow');
  const grown = await tools(workspace, (all) => all.some(({ name }) => name === 'fix__grown'));
  expect(await call(grown, 'fix__grown')).toEqual({ text: 'did grown' });
});

test('tools with bad schemas and hostile names do not spoil those beside them', async () => {
  const more = [
    { name: 'no-schema' },
    { name: 'text-schema', inputSchema: 'object' },
    { name: 'bad-type', inputSchema: { type: 'object', properties: { a: { type: 'strin' } } } },
    { name: 'bad-ref', inputSchema: { type: 'object', properties: { a: { $ref: '#/nowhere' } } } },
    { name: 'large', inputSchema: { type: 'object', description: 'x'.repeat(40_000) } },
    { name: 'odd property', inputSchema: { type: 'object', properties: { 'a b': {} } } },
    { name: 'note', inputSchema: { type: 'object' } },
    { name: 7, inputSchema: { type: 'object' } },
    { name: '', inputSchema: { type: 'object' } },
    { name: 'rm -rf / ; \u202e\u0000 日本', inputSchema: { type: 'object' } },
    { name: 'l'.repeat(10_000), inputSchema: { type: 'object' }, description: 'é'.repeat(5000) },
  ];
  const { mcp, workspace, state } = await fixture({}, {}, more);
  const tools = await mcp.toolsOf(workspace);
  expect(await call(tools, 'fix__note')).toEqual({ text: 'did note' });
  const names = tools.map(({ name }) => name).slice(-3);
  expect(names).toEqual([
    expect.stringMatching(/^fix___[0-9a-f]{8}$/),
    expect.stringMatching(/^fix__rm_-rf_[\w-]*_[0-9a-f]{8}$/),
    expect.stringMatching(/^fix__l{50}_[0-9a-f]{8}$/),
  ]);
  for (const { name } of tools) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  expect(await call(tools, names[1]!)).toMatchObject({ text: expect.stringContaining('日本') });
  expect(Buffer.byteLength(tools.at(-1)!.description)).toBeLessThan(4200);
  const { listing } = await state(workspace, 'fix', 'ready');
  expect(listing.leftOut.map(({ tool }) => tool)).toEqual([
    'no-schema',
    'text-schema',
    'bad-type',
    'bad-ref',
    'large',
    'odd property',
    'note',
    '?',
  ]);
});

test('at most 128 tools of a server, and 256 KiB of words, are shown', async () => {
  const many = (description: string) =>
    Array.from({ length: 200 }, (_, index) => ({
      name: `t${index}`,
      description,
      inputSchema: { type: 'object' },
    }));
  const few = await fixture({}, {}, many(''));
  expect(await few.mcp.toolsOf(few.workspace)).toHaveLength(128);
  expect((await few.state(few.workspace, 'fix', 'ready')).listing.leftOut).toEqual([
    { tool: '85 more', reason: 'a server may have at most 128 tools' },
  ]);
  const wordy = await fixture({}, {}, many('x'.repeat(5000)));
  const shown = (await wordy.mcp.toolsOf(wordy.workspace)).map(({ name, description, schema }) =>
    JSON.stringify({ name, description, schema }),
  );
  expect(Buffer.byteLength(shown.join(''))).toBeGreaterThan(250 * 1024);
  expect(Buffer.byteLength(shown.join(''))).toBeLessThan(256 * 1024);
});

test('a process gets the variables that are named for it, and few others', async () => {
  const { mcp, workspace } = await fixture({}, { GIVEN: '${CONTINUO_TEST_SECRET}' });
  const missing = await mcp.serversOf(workspace);
  expect(missing).toHaveLength(1);
  expect(await mcp.toolsOf(workspace)).toEqual([]);
  expect((await mcp.serversOf(workspace))[0]!.state).toMatchObject({
    reason: 'the server has no environment variable CONTINUO_TEST_SECRET',
  });

  const env = { PATH: process.env.PATH, CONTINUO_TEST_SECRET: 's3cret', OPENAI_API_KEY: 'key' };
  const other = world.open({ env });
  const tools = await other.mcp.toolsOf(workspace);
  expect(await call(tools, 'fix__env')).toEqual({ text: 'GIVEN PATH RECORD TOOLS' });
});

test('stopping ends the whole process group, also of a server that does not want to', async () => {
  const { mcp, workspace, file } = await fixture({}, { STUBBORN: '1' });
  const tools = await mcp.toolsOf(workspace);
  await call(tools, 'fix__offspring');
  const pids = [await pidIn(file), Number((await line(file, /child (\d+)/))[1])];
  expect(pids.map(isAlive)).toEqual([true, true]);
  await mcp.close();
  await until('the group is gone', () => !pids.some(isAlive));
  expect(await lines(file)).toContain('SIGTERM');
});

test('what a server started and left behind goes with it', async () => {
  const { mcp, workspace, file, state } = await fixture();
  const tools = await mcp.toolsOf(workspace);
  await call(tools, 'fix__offspring');
  const child = Number((await line(file, /child (\d+)/))[1]);
  await expect(call(tools, 'fix__die')).rejects.toThrow(OutcomeUnknown);
  await state(workspace, 'fix', 'failed');
  await until('the child is gone', () => !isAlive(child));
});

test('another pod hears of changed rows within a second', async () => {
  const { mcp, clock, workspace, file } = await fixture();
  expect((await mcp.toolsOf(workspace)).length).toBeGreaterThan(0);
  const pid = await pidIn(file);
  await world.pool.query('delete from mcp_servers where workspace_id = $1', [workspace]);
  clock.advance(999);
  expect((await mcp.toolsOf(workspace)).length).toBeGreaterThan(0);
  clock.advance(1);
  await until('there are no tools', async () => (await mcp.toolsOf(workspace)).length === 0);
  await until('the process is gone', () => !isAlive(pid));
});

test('a removed workspace has no servers', async () => {
  const { mcp, clock, workspace, file } = await fixture();
  expect((await mcp.toolsOf(workspace)).length).toBeGreaterThan(0);
  const pid = await pidIn(file);
  await world.pool.query('update workspaces set removed_at = now() where id = $1', [workspace]);
  clock.advance(1000);
  await until('there are no tools', async () => (await mcp.toolsOf(workspace)).length === 0);
  expect(await putServer(world.pool, workspace, 'x', node([MCP_SERVER]))).toEqual({ kind: 'no_workspace' });
  await until('the process is gone', () => !isAlive(pid));
});

test('an HTTP server that never answers, or breaks off, is given up', async () => {
  const sockets = createServer((socket) => socket.on('error', () => undefined).resume());
  await new Promise<void>((resolve) => sockets.listen(0, '127.0.0.1', resolve));
  const { port } = sockets.address() as AddressInfo;
  const workspace = await world.workspace();
  const url = `http://127.0.0.1:${port}/mcp`;
  const config = { transport: 'http', url, headers: { authorization: 'Bearer very-secret' } };
  await world.put(workspace, 'web', schemas.mcpConfig.parse(config));
  const connected = new Promise((resolve) => sockets.once('connection', resolve));
  const { mcp, clock, state } = world.open();
  const tools = mcp.toolsOf(workspace);
  await connected;
  clock.advance(20_000);
  expect(await tools).toEqual([]);
  const { since, reason } = await state(workspace, 'web', 'failed');
  expect(reason).toBe('it did not start within 20 s');

  await new Promise((resolve) => sockets.close(resolve));
  clock.advance(1000);
  expect((await state(workspace, 'web', 'failed', since)).reason).toContain('ECONNREFUSED');
  expect(world.logged()).not.toContain('very-secret');
});
