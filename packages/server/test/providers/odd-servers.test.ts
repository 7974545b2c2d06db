// Servers that answer what no provider should: a run fails with a sentence or goes on, and nothing else suffers.

import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
