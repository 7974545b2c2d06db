// Streamable HTTP, below the protocol: answers that break off, sessions that are forgotten, bodies without end.

import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { schemas } from '@continuo/protocol';
import { until } from '@continuo/testkit';
import { createOutgoing } from '../../src/outgoing/outgoing.ts';
import { OutcomeUnknown, ToolFailure } from '../../src/tools/tool.ts';
import { call, useMcp } from './support.ts';

const world = useMcp();
interface Message {
  readonly id: number;
  readonly method: string;
  readonly params: { readonly protocolVersion: string; readonly name: string };
}
const seen: string[] = [];
const arrivals = new EventEmitter();
const onMessage = (check: () => void) => {
  arrivals.on('message', check);
  return () => void arrivals.off('message', check);
};
const TOOLS = ['plain', 'broken', 'cut', 'forgotten', 'gateway', 'giant', 'flood', 'hang', 'redirect'];

/** What the server does with a GET, and whether it names a session. */
let listening: (response: ServerResponse) => void;
let stateless: boolean;
const refuse = (status: number) => (response: ServerResponse) => void response.writeHead(status).end();
beforeEach(() => {
  listening = refuse(405);
  stateless = false;
});

const server = createServer((incoming, response) => {
  if (incoming.method !== 'POST') return listening(response);
  let text = '';
  incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
  incoming.on('end', () => answer(JSON.parse(text) as Message, incoming, response));
});

function answer(message: Message, incoming: IncomingMessage, response: ServerResponse): void {
  const { id, method, params } = message;
  seen.push(method === 'tools/call' ? `call ${params.name}` : method);
  arrivals.emit('message');
  const reply = (result: unknown) => {
    const session = method === 'initialize' && !stateless ? { 'mcp-session-id': 'abc' } : {};
    response.writeHead(200, { 'content-type': 'application/json', ...session });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  };
  const stream = () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': hello\n\n');
  };
  if (method === 'initialize') {
    const { protocolVersion } = params;
    const serverInfo = { name: 'web', version: '1' };
    return reply({ protocolVersion, capabilities: { tools: {} }, serverInfo });
  }
  if (method === 'tools/list')
    return reply({ tools: TOOLS.map((name) => ({ name, inputSchema: { type: 'object' } })) });
  if (method !== 'tools/call') return void response.writeHead(202).end();
  switch (params.name) {
    case 'plain':
      return reply({ content: [{ type: 'text', text: String(incoming.headers['x-token']) }] });
    case 'broken':
      stream();
      return void setImmediate(() => response.destroy());
    case 'cut':
      stream();
      return void response.end();
    case 'forgotten':
      return void response.writeHead(404).end('no such session');
    case 'gateway':
      return void response.writeHead(502).end('bad gateway');
    case 'redirect':
      return void response.writeHead(307, { location: 'http://127.0.0.1:1/stolen' }).end();
    case 'giant':
      response.writeHead(200, { 'content-type': 'application/json' });
      return endless(response, '[0,'.repeat(20_000));
    case 'flood':
      stream();
      return endless(
        response,
        `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n\n`.repeat(
          100,
        ),
      );
    default:
      return undefined;
  }
}

function endless(response: ServerResponse, text: string): void {
  const go = () => {
    while (!response.destroyed && response.write(text));
  };
  response.on('drain', go);
  go();
}

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function connected() {
  const { port } = server.address() as AddressInfo;
  const workspace = await world.workspace();
  const url = `http://127.0.0.1:${port}/mcp`;
  const headers = { 'x-token': '${TOKEN}' };
  await world.put(workspace, 'web', schemas.mcpConfig.parse({ transport: 'http', url, headers }));
  const opened = world.open({ env: { TOKEN: 'from the environment' } });
  seen.length = 0;
  return { ...opened, workspace, all: await opened.mcp.toolsOf(workspace) };
}

test('headers reach the server with their variables filled in', async () => {
  const { all } = await connected();
  expect(await call(all, 'web__plain')).toEqual({ text: 'from the environment' });
});

test.each(['broken', 'cut'])(
  'a stream that ends before its answer (%s) leaves the outcome unknown',
  async (tool) => {
    const { all } = await connected();
    await expect(call(all, `web__${tool}`)).rejects.toThrow(OutcomeUnknown);
    expect(seen.filter((each) => each.startsWith('call'))).toEqual([`call ${tool}`]);
    expect(await call(all, 'web__plain')).toEqual({ text: 'from the environment' });
  },
);

test('a server that forgot the session was not called, and is connected to anew', async () => {
  const { all, clock, state, workspace } = await connected();
  await expect(call(all, 'web__forgotten')).rejects.toThrow(ToolFailure);
  await expect(call(all, 'web__plain')).rejects.toThrow('the call was not made');
  await state(workspace, 'web', 'failed');
  clock.advance(1000);
  await state(workspace, 'web', 'ready');
  expect(await call(all, 'web__plain')).toEqual({ text: 'from the environment' });
});

test.each([
  ['without sessions', true],
  ['with a session', false],
])('a server %s that answers GET with 404 connects', async (_, isStateless) => {
  stateless = isStateless;
  listening = refuse(404);
  const { all, state, workspace } = await connected();
  expect(await call(all, 'web__plain')).toEqual({ text: 'from the environment' });
  expect((await state(workspace, 'web', 'ready')).status).toBe('ready');
});

test('404 for a stream that was open before says that the session is lost', async () => {
  const streams: ServerResponse[] = [];
  listening = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 1\nid: 1\n\n');
    streams.push(response);
    arrivals.emit('message');
  };
  const { state, workspace } = await connected();
  while (streams.length === 0) await once(arrivals, 'message');
  listening = refuse(404);
  streams[0]!.end();
  expect((await state(workspace, 'web', 'failed')).reason).toBe('it no longer has the session');
});

test('what a gateway answers says nothing of what was done', async () => {
  const { all } = await connected();
  await expect(call(all, 'web__gateway')).rejects.toThrow(OutcomeUnknown);
  expect(seen.filter((each) => each.startsWith('call'))).toEqual(['call gateway']);
});

test('a redirect to another origin is not followed: the headers stay here', async () => {
  const { all } = await connected();
  await expect(call(all, 'web__redirect')).rejects.toThrow();
  expect(seen.filter((each) => each.startsWith('call'))).toEqual(['call redirect']);
});

test.each([
  ['giant', 'it sent a message larger than 8388608 bytes'],
  ['flood', 'it sent more than 10000 messages within 10 s'],
])('a body without end (%s) is broken off', async (tool, reason) => {
  const { all, state, workspace } = await connected();
  await expect(call(all, `web__${tool}`)).rejects.toThrow(OutcomeUnknown);
  expect((await state(workspace, 'web', 'failed')).reason).toBe(reason);
});

test('a call that is not answered is canceled with a notification', async () => {
  const { all, clock } = await connected();
  const hanging = call(all, 'web__hang');
  hanging.catch(() => undefined);
  await until('the call has reached the server', () => seen.includes('call hang'), { wake: onMessage });
  clock.advance(60_000);
  await expect(hanging).rejects.toThrow('the server did not answer within 60 s');
  await until('the cancellation has reached the server', () => seen.includes('notifications/cancelled'), {
    wake: onMessage,
  });
});

test('a server on this machine is not connected to unless the operator allowed it, and the reason says how to', async () => {
  const outgoing = createOutgoing({ allow: [] });
  const workspace = await world.workspace();
  const { port } = server.address() as AddressInfo;
  seen.length = 0;
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433']) {
    const config = { transport: 'http', url: `http://${host}:${port}/mcp` };
    await world.put(workspace, 'web', schemas.mcpConfig.parse(config));
    const { mcp, state } = world.open({ outgoing });
    expect(await mcp.toolsOf(workspace)).toEqual([]);
    expect((await state(workspace, 'web', 'failed')).reason).toContain('CONTINUO_OUTGOING_ALLOW');
  }
  expect(seen).toEqual([]);
  await outgoing.close();
});
