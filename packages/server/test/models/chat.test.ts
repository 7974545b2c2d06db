// Our reader of chat completions against the AI SDK's own, and against servers that take liberties.

import { OpenAICompatibleChatLanguageModel } from '@ai-sdk/openai-compatible';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StreamEvent } from '@continuo/engine';
import { AiSdkChatModel } from '../../src/models/ai-sdk/chat.ts';
import { AiSdkParts } from '../../src/models/ai-sdk/parts.ts';
import { AiSdkEvents } from '../../src/models/ai-sdk/sse.ts';
import { openaiChat } from './wire/openai-chat.ts';
import type { Reply, Said } from './wire/reply.ts';

/** The events that a model makes of a body, given in chunks of any size. */
async function read(
  Model: typeof OpenAICompatibleChatLanguageModel,
  body: string,
  size = 1e9,
): Promise<StreamEvent[]> {
  const bytes = new TextEncoder().encode(body);
  const model = new Model('m', {
    provider: 'compatible.chat',
    url: () => 'http://provider/chat/completions',
    includeUsage: true,
    fetch: async () =>
      new Response(
        new ReadableStream({
          start(controller) {
            for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
            controller.close();
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      ),
  });
  const { stream } = await model.doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  });
  const parts = new AiSdkParts();
  const events: StreamEvent[] = [];
  for await (const part of stream) parts.take(part, 0, events);
  // Where blocks end is the reader's choice: at the next block, or at the end of the message.
  return events.filter(({ type }) => !type.endsWith('block_stop'));
}

const ours = AiSdkChatModel;
const bodyOf = (reply: Reply) => {
  const { said, end } = openaiChat.frames(reply);
  return [...said, ...end].join('');
};

const pieces = fc.array(fc.string({ minLength: 1, unit: 'grapheme' }), { minLength: 1, maxLength: 5 });
const said: fc.Arbitrary<Said[]> = fc
  .record({
    reasoning: fc.option(pieces),
    text: fc.option(pieces),
    calls: fc.array(fc.jsonValue(), { maxLength: 3 }),
  })
  .map(({ reasoning, text, calls }) => [
    ...(reasoning ? [{ kind: 'reasoning', pieces: reasoning } as const] : []),
    ...(text ? [{ kind: 'text', pieces: text } as const] : []),
    ...calls.map((value, index) => {
      const input = JSON.stringify({ value });
      return {
        kind: 'call',
        id: `c${index}`,
        tool: 'ls',
        pieces: [input.slice(0, 4), input.slice(4)],
      } as const;
    }),
  ]);
const finish = fc.constantFrom(undefined, 'length' as const, 'filtered' as const);

test('RT-6 our reader tells what the AI SDK would, however the bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(said, finish, fc.integer({ min: 1, max: 300 }), async (each, ending, size) => {
      const body = bodyOf({
        said: each,
        ...(ending && { finish: ending }),
        tokens: { input: 9, output: 5, cached: 3 },
      });
      expect(await read(ours, body, size)).toEqual(await read(OpenAICompatibleChatLanguageModel, body));
    }),
    { numRuns: 150 },
  );
});

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const called = (...calls: object[]) => chunk({ tool_calls: calls });
const inputs = (events: readonly StreamEvent[]) => {
  const found: Record<string, string> = {};
  for (const event of events)
    if (event.type === 'tool_input_delta') found[event.callId] = (found[event.callId] ?? '') + event.text;
  return found;
};

test.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['a lone CR', '\r'],
])(
  'RT-7 lines may end in %s, and comments and other fields are passed over, however the bytes are cut',
  async (_name, end) => {
    const hi = 'data:{"choices":[{"delta":{"content":"Hi"}}]}';
    const stop = 'data: {"choices":[{"delta":{},\ndata: "finish_reason":"stop"}]}'.replace('\n', end);
    const body = [': waiting', 'event: x', 'id: 1', hi, '', ': waiting', '', stop, '', ''].join(end);
    for (let size = 1; size <= body.length; size += 1)
      expect(await read(ours, body, size)).toMatchObject([
        { type: 'text_block_start' },
        { text: 'Hi' },
        { type: 'message_stop', reason: 'end' },
      ]);
  },
);

test('RT-7 an event that a lone CR completes is told before more comes', () => {
  const events = new AiSdkEvents();
  const take = (text: string) => events.take(new TextEncoder().encode(text));
  expect(take('data: one\r\r')).toEqual(['one']);
  expect(take('\ndata: two\r')).toEqual([]);
  expect(take('')).toEqual([]);
  expect(take('\n\r')).toEqual(['two']);
  expect(take('\ndata: three\r\n')).toEqual([]);
  expect(events.end()).toEqual(['three']);
});

test('RT-7 calls may lack an index, share one, lack an id, or give their input as an object', async () => {
  const start = (id: string | undefined, index: number | undefined, input: unknown) => ({
    ...(id !== undefined && { id }),
    ...(index !== undefined && { index }),
    function: { name: 'ls', arguments: input },
  });
  const end = chunk({}, 'stop');
  const noIndex = await read(
    ours,
    `${called(start('a', undefined, '{"x"'))}${called({ function: { arguments: ':1}' } })}${end}`,
  );
  expect(inputs(noIndex)).toEqual({ a: '{"x":1}' });
  const shared = await read(ours, `${called(start('a', 0, '{}'))}${called(start('b', 0, '{"y":2}'))}${end}`);
  expect(inputs(shared)).toEqual({ a: '{}', b: '{"y":2}' });
  const noId = await read(
    ours,
    `${called(start(undefined, 0, { path: '/' }), start(undefined, 1, ''))}${end}`,
  );
  expect(Object.values(inputs(noId))).toEqual(['{"path":"/"}', '{}']);
  expect(new Set(Object.keys(inputs(noId))).size).toBe(2);
  expect(noId.at(-1)).toMatchObject({ type: 'message_stop', reason: 'tool_use' });
});

test('RT-7 reasoning has two names, and a refusal is text that says so at the end', async () => {
  const events = await read(
    ours,
    chunk({ reasoning: 'Hm' }) + chunk({ refusal: 'I will not.' }) + chunk({}, 'stop'),
  );
  expect(events).toMatchObject([
    { type: 'reasoning_block_start' },
    { type: 'reasoning_delta', text: 'Hm' },
    { type: 'text_block_start' },
    { type: 'text_delta', text: 'I will not.' },
    { type: 'message_stop', reason: 'filtered' },
  ]);
});
