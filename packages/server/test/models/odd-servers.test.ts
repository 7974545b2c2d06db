// Servers that answer what no provider should: a run fails with a sentence or goes on, and nothing else suffers.

import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isJsonTooDeep } from '@continuo/engine';
import { ask, modelFrom, modelsAt, textOf } from './support.ts';

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n';
const chunk = (content: string, rest = '') =>
  `data: {"choices":[{"delta":{"content":${JSON.stringify(content)}}${rest}}]}\n\n`;

let answer: (socket: Socket) => void;
const sockets: Socket[] = [];
const server: Server = createServer((socket) => {
  sockets.push(socket);
  socket.on('error', () => undefined);
  socket.once('data', () => answer(socket));
});
let url = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

function modelAt(id = 'compatible/odd') {
  const baseUrls = () => ({ openai: url, compatible: url, anthropic: url, google: url });
  return modelFrom(modelsAt({ baseUrls }), id);
}

test.each([
  ['a status that there is not', 'HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n', '999'],
  [
    'a switch of protocols',
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    '101',
  ],
  ['a reason that is no text', 'HTTP/1.1 500 B\x01ad\r\ncontent-length: 0\r\n\r\n', ''],
])('RT-7 %s is a failure of the call', async (_what, text, said) => {
  answer = (socket) => socket.end(text);
  const events = await ask(modelAt());
  expect(events).toMatchObject([{ type: 'stream_error' }]);
  expect(JSON.stringify(events)).toContain(said);
});

test('RT-7 an answer that is done is done, though its connection stays open and no reason is given', async () => {
  const closed = Promise.withResolvers<void>();
  answer = (socket) => {
    socket.once('close', () => closed.resolve());
    socket.write(`${HEAD}data:\n\n: still here\n\n${chunk('Done.')}data: [DONE]\n\n`);
  };
  const events = await ask(modelAt());
  expect(textOf(events)).toBe('Done.');
  expect(events.at(-1)).toMatchObject({ type: 'message_stop', reason: 'end' });
  await closed.promise;
});

test('RT-7 a message that stopped is whole, though its connection stays open', async () => {
  const closed = Promise.withResolvers<void>();
  const told = [
    {
      type: 'message_start',
      message: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'x',
        content: [],
        usage: { input_tokens: 1, output_tokens: 0 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Whole.' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 1 },
    },
    { type: 'message_stop' },
  ];
  answer = (socket) => {
    socket.once('close', () => closed.resolve());
    socket.write(
      HEAD + told.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`).join(''),
    );
  };
  expect(textOf(await ask(modelAt('anthropic/claude-sonnet-4-5')))).toBe('Whole.');
  await closed.promise;
});

test('RT-7 a line in pieces is put together, and one without an end is given up', async () => {
  const long = 'x'.repeat(300_000);
  answer = (socket) => {
    const bytes = Buffer.from(`${chunk(long, ',"finish_reason":"stop"')}data: [DONE]\n\n`);
    socket.write(HEAD);
    for (let at = 0; at < bytes.length; at += 10_000) socket.write(bytes.subarray(at, at + 10_000));
  };
  expect(textOf(await ask(modelAt()))).toBe(long);
  answer = (socket) => {
    socket.write(`${HEAD}${chunk('It begins.')}data: `);
    const more = () => {
      while (!socket.destroyed && socket.write('y'.repeat(64 * 1024)));
    };
    socket.on('drain', more);
    more();
  };
  const events = await ask(modelAt());
  expect(textOf(events)).toBe('It begins.');
  expect(events.at(-1)).toMatchObject({
    type: 'stream_error',
    message: expect.stringContaining('8 MiB') as string,
  });
});

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const whole = (input: string) =>
  `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"ls","arguments":${input}}}]},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n`;
const google = (input: string) =>
  `data: {"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"ls","args":${input}}}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2}}\n\n`;
const anthropic = (pieces: readonly string[]) =>
  [
    {
      type: 'message_start',
      message: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'x',
        content: [],
        usage: { input_tokens: 1, output_tokens: 0 },
      },
    },
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: 'c', name: 'ls', input: {} },
    },
    ...pieces.map((partial_json) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json },
    })),
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { output_tokens: 1 },
    },
    { type: 'message_stop' },
  ]
    .map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`)
    .join('');

test.each([
  ['compatible/odd', 'as text', (deep: string) => whole(JSON.stringify(`{"path":${deep}}`))],
  ['compatible/odd', 'as an object', (deep: string) => whole(`{"path":${deep}}`)],
  ['google/gemini-2.5-flash', 'as an object', (deep: string) => google(`{"path":${deep}}`)],
  [
    'anthropic/claude-sonnet-4-5',
    'in pieces',
    (deep: string) => anthropic([`{"path":${deep.slice(0, 100)}`, `${deep.slice(100)}}`]),
  ],
])('RT-7 %s: an input nested too deep that comes %s is told as it is, too deep', async (id, _how, body) => {
  for (const depth of [70, 5000, 100_000]) {
    answer = (socket) => {
      socket.write(HEAD);
      const bytes = Buffer.from(body(nested(depth)));
      for (let at = 0; at < bytes.length; at += 50_000) socket.write(bytes.subarray(at, at + 50_000));
      socket.end();
    };
    const events = await ask(modelAt(id));
    const input = events.map((event) => (event.type === 'tool_input_delta' ? event.text : '')).join('');
    expect(events.at(-1)).toMatchObject({ type: 'message_stop', reason: 'tool_use' });
    expect(isJsonTooDeep(input)).toBe(true);
  }
});

test('RT-7 brackets in text are text, and an answer after a broken one is read', async () => {
  const text = `${'['.repeat(500)} "${'{'.repeat(500)}`;
  answer = (socket) =>
    socket.end(
      `${HEAD}: ${'['.repeat(200)} "\n\n${chunk(text)}${chunk('!', ',"finish_reason":"stop"')}data: [DONE]\n\n`,
    );
  expect(textOf(await ask(modelAt()))).toBe(`${text}!`);
});

test.each([
  ['"12"', 12],
  ['-1', 0],
  ['null', 0],
  ['1e300', 0],
  ['1e400', 0],
  ['2.5', 3],
  ['"many"', 0],
  ['[7]', 0],
  ['true', 0],
])('RT-7 %s is no number of tokens, or %i of them', async (given, counted) => {
  const usage = `{"prompt_tokens":${given},"completion_tokens":${given},"prompt_tokens_details":{"cached_tokens":${given}}}`;
  answer = (socket) =>
    socket.end(
      `${HEAD}${chunk('Hi.', ',"finish_reason":"stop"')}data: {"choices":[],"usage":${usage}}\n\ndata: [DONE]\n\n`,
    );
  expect((await ask(modelAt())).at(-1)).toMatchObject({
    type: 'message_stop',
    usage: { input: counted, output: counted },
  });
});
