// The test server's formats are judged by the providers' own clients, not by our driver alone.

import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ENV, type ProviderServer, startProvider } from './server.ts';
import { all } from './support.ts';
import type { Reply } from './wire/reply.ts';

let server: ProviderServer;
beforeAll(async () => {
  server = await startProvider();
});
afterAll(() => server[Symbol.asyncDispose]());

const tokens = { input: 1000, output: 300, cached: 800, reasoning: 120 };
const reply: Reply = {
  said: [
    { kind: 'reasoning', pieces: ['Let me ', 'look.'], signature: 'signed' },
    { kind: 'text', pieces: ['I ', 'look.'] },
    { kind: 'call', id: 'call_1', tool: 'ls', pieces: ['{"path"', ':"/a"}'] },
    { kind: 'call', id: 'call_2', tool: 'ls', pieces: ['{"path"', ':"/b"}'] },
  ],
  tokens,
};
const question = [{ role: 'user' as const, content: 'What is there?' }];
const openai = () => new OpenAI({ apiKey: ENV.OPENAI_API_KEY, baseURL: `${server.url}/v1`, maxRetries: 0 });
const anthropic = () => new Anthropic({ apiKey: ENV.ANTHROPIC_API_KEY, baseURL: server.url, maxRetries: 0 });

test('RT-7 the official OpenAI client understands the responses format', async () => {
  server.reply(reply);
  const stream = openai().responses.stream({ model: 'gpt-5.4', input: question, store: false });
  const deltas: string[] = [];
  stream.on('response.output_text.delta', ({ delta }) => deltas.push(delta));
  const response = await stream.finalResponse();
  expect(deltas).toEqual(['I ', 'look.']);
  expect(response.output_text).toBe('I look.');
  expect(response.output).toMatchObject([
    { type: 'reasoning', encrypted_content: 'signed', summary: [{ text: 'Let me look.' }] },
    { type: 'message' },
    { type: 'function_call', call_id: 'call_1', arguments: '{"path":"/a"}' },
    { type: 'function_call', call_id: 'call_2', arguments: '{"path":"/b"}' },
  ]);
  expect(response.usage).toMatchObject({
    input_tokens: 1000,
    output_tokens: 300,
    input_tokens_details: { cached_tokens: 800 },
    output_tokens_details: { reasoning_tokens: 120 },
  });
});

test('RT-7 the official OpenAI client understands the chat format', async () => {
  server.reply(reply);
  const stream = openai().chat.completions.stream({ model: 'gpt-5.4', messages: question });
  const completion = await stream.finalChatCompletion();
  expect(completion.choices[0]!.finish_reason).toBe('tool_calls');
  expect(completion.choices[0]!.message).toMatchObject({
    content: 'I look.',
    tool_calls: [
      { id: 'call_1', type: 'function', function: { name: 'ls', arguments: '{"path":"/a"}' } },
      { id: 'call_2', type: 'function', function: { name: 'ls', arguments: '{"path":"/b"}' } },
    ],
  });
  expect(completion.usage).toMatchObject({ prompt_tokens: 1000, completion_tokens: 300 });
});

test('RT-7 the official Anthropic client understands the messages format', async () => {
  server.reply(reply);
  const stream = anthropic().messages.stream({ model: 'claude', max_tokens: 1000, messages: question });
  const deltas: string[] = [];
  stream.on('text', (delta) => deltas.push(delta));
  const message = await stream.finalMessage();
  expect(deltas).toEqual(['I ', 'look.']);
  expect(message.content).toMatchObject([
    { type: 'thinking', thinking: 'Let me look.', signature: 'signed' },
    { type: 'text', text: 'I look.' },
    { type: 'tool_use', id: 'call_1', name: 'ls', input: { path: '/a' } },
    { type: 'tool_use', id: 'call_2', name: 'ls', input: { path: '/b' } },
  ]);
  expect(message.stop_reason).toBe('tool_use');
  expect(message.usage).toMatchObject({
    input_tokens: 200,
    cache_read_input_tokens: 800,
    output_tokens: 300,
  });
});

test('RT-7 both clients understand refusals, and errors in the middle', async () => {
  const limited: Reply = { refusal: { status: 429, message: 'Slow down.', headers: { 'retry-after': '7' } } };
  server.reply(limited, limited, limited);
  const ask = { model: 'm', input: question, stream: true } as const;
  const chat = { model: 'm', messages: question, stream: true } as const;
  const message = { model: 'm', max_tokens: 10, messages: question, stream: true } as const;
  await expect(openai().responses.create(ask)).rejects.toBeInstanceOf(OpenAI.RateLimitError);
  await expect(openai().chat.completions.create(chat)).rejects.toBeInstanceOf(OpenAI.RateLimitError);
  await expect(anthropic().messages.create(message)).rejects.toBeInstanceOf(Anthropic.RateLimitError);

  const broken: Reply = { said: [{ kind: 'text', pieces: ['Half'] }], instead: 'error' };
  server.reply(broken, broken);
  await expect(all(await openai().chat.completions.create(chat))).rejects.toThrow(/had an error/);
  await expect(all(await anthropic().messages.create(message))).rejects.toThrow(/Overloaded/);
});

test('RT-4 both clients are told when a call was not answered', async () => {
  const call = { id: 'call_1', type: 'function' as const, function: { name: 'ls', arguments: '{}' } };
  const messages = [...question, { role: 'assistant' as const, tool_calls: [call] }, ...question];
  await expect(openai().chat.completions.create({ model: 'm', messages })).rejects.toThrow(
    /did not have response/,
  );
  const used = { type: 'tool_use' as const, id: 'call_1', name: 'ls', input: {} };
  const turns = [...question, { role: 'assistant' as const, content: [used] }, ...question];
  await expect(anthropic().messages.create({ model: 'm', max_tokens: 9, messages: turns })).rejects.toThrow(
    /without `tool_result` blocks/,
  );
});
