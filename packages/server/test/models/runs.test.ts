// Runs of a whole server whose models are a provider's: what a client follows, and what the provider is sent.
// OpenAI's own address cannot be changed from outside, so its model is not among them.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, createThread, framesOf, readRun, seen, type Frame } from '@continuo/testkit';
import { count, usePod } from '@continuo/testkit/fixtures';
import { ENV, type ProviderServer, startProvider } from './server.ts';
import { MODEL } from './support.ts';
import type { Reply, Said } from './wire/reply.ts';

const REACHED = ['compatible', 'anthropic', 'google'] as const;

const env: Record<string, string> = { ...ENV };
let server: ProviderServer;
beforeAll(async () => {
  server = await startProvider();
  Object.assign(env, {
    OPENAI_BASE_URL: `${server.url}/v1`,
    ANTHROPIC_BASE_URL: server.url,
    GOOGLE_GEMINI_BASE_URL: server.url,
  });
});
const world = usePod(env);
afterAll(() => server[Symbol.asyncDispose]());

const says = (...pieces: string[]): Said => ({ kind: 'text', pieces });
const calls = (id: string, tool: string, input: unknown, signature?: string): Said => ({
  kind: 'call',
  id,
  tool,
  pieces: [JSON.stringify(input)],
  ...(signature !== undefined && { signature }),
});
const half: Reply = { said: [says('Half ', 'an ')], instead: 'cut' };
const fine: Reply = { said: [says('Fine.')] };

interface Played {
  readonly runId: string;
  readonly frames: readonly Frame[];
  /** What the provider was sent, as text. */
  readonly sent: readonly string[];
}

async function post(threadId: string, model: string, content = 'Go on.'): Promise<string> {
  const answer = await ask('POST', `${world.url}/api/threads/${threadId}/messages`, { content, model });
  expect(answer.status).toBe(202);
  return answer.body.run.id as string;
}

async function play(model: string, replies: readonly Reply[], threadId?: string): Promise<Played> {
  const before = server.received.length;
  server.reply(...replies);
  const runId = await post(threadId ?? (await createThread(world.url)), model);
  const frames = await framesOf(world.url, runId);
  return { runId, frames, sent: server.received.slice(before).map(({ body }) => JSON.stringify(body)) };
}

const named = (frames: readonly Frame[], event: string) => frames.filter((frame) => frame.event === event);
const dataOf = (frames: readonly Frame[], event: string) => named(frames, event).map(({ data }) => data);
const textOf = (frames: readonly Frame[], event: string, message: string) =>
  dataOf(frames, event)
    .filter((data) => data.message === message)
    .map(({ text }) => text)
    .join('');
/** The kinds of the frames, each row of the same kind as one. */
const shape = (frames: readonly Frame[]) =>
  frames.map(({ event }) => event).filter((event, index, all) => event !== all[index - 1]);

describe.each(REACHED)('%s', (name) => {
  const model = MODEL[name];
  const note = Array.from({ length: 12 }, (_, index) => `line ${index + 1} of ${name}`).join('\n');
  const first: Reply = {
    said: [
      { kind: 'reasoning', pieces: ['I must ', 'look.'], signature: `thought-${name}` },
      says('Looking', ' it up. '),
      calls('call_a', 'pure', { note }, `called-${name}`),
      calls('call_b', 'transactional', { note: 'kept' }),
    ],
    tokens: { input: 1000, output: 200, cached: 600, ...(name !== 'anthropic' && { reasoning: 50 }) },
  };
  const second: Reply = { said: [says('That ', 'is all.')], tokens: { input: 1500, output: 20 } };

  test('RT-4 RT-5 RT-6 a conversation with tools: its events, its requests, and what a later run sees', async () => {
    const threadId = await createThread(world.url);
    const { runId, frames, sent } = await play(model, [first, second], threadId);

    expect(shape(frames)).toEqual([
      'state',
      'message',
      'message_start',
      'reasoning',
      'token',
      'message_end',
      'usage',
      ...shape(frames).filter((event) => event.startsWith('tool_')),
      'message_start',
      'token',
      'message_end',
      'usage',
      'final',
      'state',
    ]);
    expect(textOf(frames, 'reasoning', 'm1')).toBe('I must look.');
    expect(dataOf(frames, 'token').map(({ text, message }) => [message, text])).toEqual([
      ['m1', 'Looking'],
      ['m1', ' it up. '],
      ['m2', 'That '],
      ['m2', 'is all.'],
    ]);
    const byCall = (data: Record<string, unknown>[]) =>
      data.toSorted((a, b) => String(a.call).localeCompare(String(b.call)));
    expect(byCall(dataOf(frames, 'tool_start'))).toEqual([
      { tool: 'pure', call: 'call_a', input: { note } },
      { tool: 'transactional', call: 'call_b', input: { note: 'kept' } },
    ]);
    expect(byCall(dataOf(frames, 'tool_end'))).toEqual([
      { tool: 'pure', call: 'call_a', output: { saw: note }, success: true },
      { tool: 'transactional', call: 'call_b', output: { wrote: 'kept' }, success: true },
    ]);

    const [one, two] = dataOf(frames, 'usage');
    expect(one).toMatchObject({
      message: 'm1',
      model,
      usage: {
        input: 1000,
        output: 200,
        cachedInput: 600,
        ...(name !== 'anthropic' && { reasoning: 50 }),
      },
      cost: name === 'compatible' ? null : expect.any(Number),
    });
    expect(two).toMatchObject({ message: 'm2', usage: { input: 1500, output: 20 } });
    if (name !== 'compatible') expect(one!.cost).toBeGreaterThan(0);
    expect(dataOf(frames, 'final')).toMatchObject([{ text: 'That is all.', message: 'm2' }]);
    expect(frames.at(-1)!.data).toEqual({ status: 'done' });
    expect(await readRun(world.url, runId)).toMatchObject({
      status: 'done',
      model,
      usage: { input: 2500, output: 220, cachedInput: 600 },
    });

    // The second request carries the results in full, and what was signed.
    expect(sent).toHaveLength(2);
    expect(sent[1]!.split(`line 12 of ${name}`)).toHaveLength(3);
    expect(sent[1]).toContain('wrote');
    if (name === 'compatible') expect(sent[1]).toContain('I must look.');
    else expect(sent[1]).toContain(`thought-${name}`);
    if (name === 'google') expect(sent[1]).toContain(`called-${name}`);

    // A later run is shown the first lines of the long result, and all of the short one.
    const later = await play(model, [fine], threadId);
    expect(later.frames.at(-1)!.data).toEqual({ status: 'done' });
    expect(later.sent).toHaveLength(1);
    const [request] = later.sent;
    expect(request).toContain(String.raw`line 5 of ${name}\n[Note: Summarized result]`);
    // Once more in the input of the call, which stays as it is.
    expect(request!.split(`line 6 of ${name}`)).toHaveLength(2);
    expect(request).toContain('wrote');
    expect(request).toContain('That is all.');
    if (name === 'google') expect(request).toContain(`called-${name}`);
  });

  test('RT-7 429 with Retry-After before the answer is tried again, and nobody sees it', async () => {
    const headers = { 'retry-after': '1' };
    const refusal = { status: 429, message: 'Slow down.', headers };
    const began = Date.now();
    const { frames, sent } = await play(model, [{ refusal }, fine]);
    expect(sent).toHaveLength(2);
    expect(Date.now() - began).toBeGreaterThanOrEqual(1000);
    expect(shape(frames)).toEqual([
      'state',
      'message',
      'message_start',
      'token',
      'message_end',
      'usage',
      'final',
      'state',
    ]);
    expect(dataOf(frames, 'state')).toEqual([{ status: 'running', attempt: 1 }, { status: 'done' }]);
    expect(dataOf(frames, 'message_start').map(({ message }) => message)).toEqual(['m1']);
    const metrics = await (await fetch(`${world.url}/metrics`)).text();
    expect(metrics).toContain(`continuo_model_retries_total{model="${model}",code="rate_limited"} 1\n`);
  });

  const CUT = { code: 'stream_cut', error: expect.stringContaining(`${name} ended the answer early`) };

  test('RT-7 a stream that is cut after text is begun again, and the first message superseded, with the cause', async () => {
    const { frames, sent } = await play(model, [half, fine]);
    expect(dataOf(frames, 'state')).toEqual([
      { status: 'running', attempt: 1 },
      { status: 'running', attempt: 1, supersedes: 'm1', cause: CUT },
      { status: 'done' },
    ]);
    expect(textOf(frames, 'token', 'm1')).toBe('Half an ');
    expect(textOf(frames, 'token', 'm2')).toBe('Fine.');
    expect(dataOf(frames, 'message_end').map(({ message }) => message)).toEqual(['m2']);
    expect(dataOf(frames, 'final')).toMatchObject([{ text: 'Fine.', message: 'm2' }]);
    // The superseded text is not shown to the model.
    expect(sent).toHaveLength(2);
    expect(sent[1]).not.toContain('Half an');
  });

  test('RT-7 a stream that is cut a second time ends the run', async () => {
    const { runId, frames, sent } = await play(model, [half, half]);
    expect(sent).toHaveLength(2);
    expect(dataOf(frames, 'state').map(({ status }) => status)).toEqual(['running', 'running', 'error']);
    expect(dataOf(frames, 'error')).toMatchObject([{ code: 'stream_cut', error: expect.any(String) }]);
    expect(dataOf(frames, 'message_end')).toMatchObject([
      { message: 'm2', ended: 'error', text: 'Half an ' },
    ]);
    expect(named(frames, 'final')).toEqual([]);
    expect(await readRun(world.url, runId)).toMatchObject({ status: 'error', error: { code: 'stream_cut' } });
  });

  test('RT-7 a stream that is cut in the input of a call is begun again, and nothing is called twice', async () => {
    const calling: Reply = { said: [calls('call_x', 'external', { note: `once by ${name}` })] };
    const { frames, sent } = await play(model, [{ ...calling, instead: 'cut' }, calling, fine]);
    expect(sent).toHaveLength(3);
    expect(dataOf(frames, 'state')).toEqual([
      { status: 'running', attempt: 1 },
      { status: 'running', attempt: 1, supersedes: 'm1', cause: CUT },
      { status: 'done' },
    ]);
    expect(dataOf(frames, 'tool_end')).toMatchObject([{ call: 'call_x', success: true }]);
    expect(await count(world.database, 'effects where note = $1', [`once by ${name}`])).toBe(1);
  });

  test('RUN-9 calls that share an id in two answers of a run are two calls', async () => {
    const calling = (note: string): Reply => ({ said: [calls('call_0', 'idempotent', { note })] });
    const { runId, frames } = await play(model, [calling('first'), calling('second'), fine]);
    expect(dataOf(frames, 'tool_end').map(({ output }) => output)).toEqual([
      { wrote: 'first' },
      { wrote: 'second' },
    ]);
    const { rows } = await world.database.pool.query<{ note: string }>(
      'select note from effects where key like $1 order by id',
      [`${runId}:%`],
    );
    expect(rows.map(({ note: kept }) => kept)).toEqual(['first', 'second']);
  });

  test('RT-7 a cut in a later step supersedes that step’s message alone', async () => {
    const { frames, sent } = await play(model, [first, half, second]);
    expect(sent).toHaveLength(3);
    expect(sent[2]).toEqual(sent[1]);
    expect(dataOf(frames, 'state').flatMap(({ supersedes }) => supersedes ?? [])).toEqual(['m2']);
    expect(dataOf(frames, 'tool_end')).toHaveLength(2);
    expect(dataOf(frames, 'final')).toMatchObject([{ text: 'That is all.', message: 'm3' }]);
  });

  test('RT-7 a cancel closes the connection to the provider', async () => {
    server.reply({ said: [says('Half ', 'an ')], instead: 'stall' });
    const threadId = await createThread(world.url);
    const runId = await post(threadId, model);
    await seen(world.url, runId, 'token');
    const request = server.received.at(-1)!;
    expect(request.left).toBe(false);
    expect((await ask('POST', `${world.url}/api/runs/${runId}/cancel`)).status).toBe(200);
    await expect.poll(() => request.left).toBe(true);
    const frames = await framesOf(world.url, runId);
    expect(frames.slice(-2).map(({ event, data }) => [event, data])).toEqual([
      ['canceled', { reason: 'user_cancelled' }],
      ['state', { status: 'canceled' }],
    ]);
    expect(dataOf(frames, 'message_end')).toMatchObject([{ text: 'Half an ', ended: 'interrupted' }]);

    // The next run is told of it, in a request that the provider takes.
    const { sent } = await play(model, [fine], threadId);
    expect(sent[0]).toContain('Half an ');
    expect(sent[0]).toContain('interrupted by user');
  });

  test('RT-7 a history that the model refuses as too long is shown again with fewer whole turns, and the run says so', async () => {
    const refusal = { status: 400, message: "This model's maximum context length is 8192 tokens." };
    const threadId = await createThread(world.url);
    for (let turn = 1; turn <= 8; turn += 1)
      await play(model, [{ said: [says(`Answer ${turn}. ${'word '.repeat(100)}`)] }], threadId);
    const { frames, sent } = await play(model, [{ refusal }, { refusal }, fine], threadId);
    const left = (text: string) =>
      [1, 2, 3, 4, 5, 6, 7, 8].filter((turn) => text.includes(`Answer ${turn}.`));
    expect(sent.map(left)).toEqual([[1, 2, 3, 4, 5, 6, 7, 8], [6, 7, 8], [8]]);
    expect(shape(frames)).toEqual([
      'state',
      'message',
      'message_start',
      'context_usage',
      'token',
      'message_end',
      'usage',
      'final',
      'state',
    ]);
    const [usage] = dataOf(frames, 'context_usage') as { tokens: number; limit: number }[];
    expect(usage).toMatchObject({ message: 'm1', turns_left_out: 7, refused: { model } });
    expect(usage!.tokens).toBeLessThanOrEqual(usage!.limit);

    // What was refused is not shown again: neither in a later step, nor in a later run.
    const later = await play(model, [{ said: [calls('call_1', 'pure', { note: 'x' })] }, fine], threadId);
    expect(later.sent.map(left)).toEqual([[8], []]);
    const told = dataOf(later.frames, 'context_usage') as { tokens: number; limit: number }[];
    expect(told).toMatchObject([
      { message: 'm1', turns_left_out: 7 },
      { message: 'm2', turns_left_out: 8 },
    ]);
    for (const each of told) {
      expect(each.tokens).toBeLessThanOrEqual(each.limit);
      expect(each).not.toHaveProperty('refused');
    }
  });

  test('RT-7 in the end the last turn is shown alone, and only if that is refused does the run fail', async () => {
    const refusal = { status: 400, message: "This model's maximum context length is 8192 tokens." };
    const threadId = await createThread(world.url);
    for (let turn = 1; turn <= 8; turn += 1)
      await play(model, [{ said: [says(`Answer ${turn}. ${'word '.repeat(100)}`)] }], threadId);
    await play(model, [fine], threadId);
    const left = (text: string) =>
      [1, 2, 3, 4, 5, 6, 7, 8].filter((turn) => text.includes(`Answer ${turn}.`));
    const again = Array.from({ length: 5 }, () => ({ refusal }));
    const failed = await play(model, again, threadId);
    expect(failed.sent.map((text) => left(text).length)).toEqual([8, 3, 1, 0, 0]);
    expect(failed.sent.map((text) => text.includes('Fine.'))).toEqual([true, true, true, true, false]);
    expect(dataOf(failed.frames, 'error')).toMatchObject([{ code: 'context_too_long' }]);
  });

  test.each([
    [400, 'There is no such parameter.', 'invalid_request'],
    [400, 'prompt is too long: 300000 tokens > 200000 maximum', 'context_too_long'],
    [403, 'Not for you.', 'unauthorized'],
  ])('RT-7 %i "%s" ends the run as %s', async (status, message, code) => {
    const { runId, frames, sent } = await play(model, [{ refusal: { status, message } }]);
    expect(sent).toHaveLength(1);
    expect(shape(frames)).toEqual(['state', 'message', 'error', 'state']);
    expect(dataOf(frames, 'error')).toEqual([{ code, error: expect.stringContaining(message) }]);
    expect(await readRun(world.url, runId)).toMatchObject({ status: 'error', error: { code } });
    const [{ error }] = dataOf(frames, 'error') as [{ error: string }];
    expect(error).not.toContain(ENV.OPENAI_API_KEY);
  });
});

test('RT-4 a thread that goes from provider to provider is taken by each', async () => {
  const threadId = await createThread(world.url);
  for (const name of [...REACHED, ...REACHED]) {
    const { frames, sent } = await play(
      MODEL[name],
      [
        {
          said: [
            { kind: 'reasoning', pieces: ['Secretly.'], signature: `secret-${name}` },
            calls('call_0', 'pure', { note: `seen by ${name}` }),
            calls('call_1', 'external', { note: `sent by ${name}` }),
          ],
        },
        { said: [says(`Answered by ${name}.`)] },
      ],
      threadId,
    );
    expect(frames.at(-1)!.data).toEqual({ status: 'done' });
    for (const other of REACHED.filter((each) => each !== name))
      for (const request of sent) expect(request).not.toContain(`secret-${other}`);
  }
});

describe('without a key', () => {
  const bare = usePod();

  test.each([
    ['openai/gpt-5.4', 'OPENAI_API_KEY'],
    ['anthropic/claude-sonnet-4-5', 'ANTHROPIC_API_KEY'],
    ['google/gemini-2.5-flash', 'GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY'],
    ['compatible/qwen3', 'OPENAI_BASE_URL'],
  ])('RT-7 a message to %s is refused, and %s named', async (model, variable) => {
    const threadId = await createThread(bare.url);
    const url = `${bare.url}/api/threads/${threadId}/messages`;
    const { status, body } = await ask('POST', url, { content: 'Hi', model });
    expect([status, body.code]).toEqual([400, 'unknown_model']);
    expect(body.detail).toContain(variable);
    expect((await ask('GET', url)).body.items).toEqual([]);
  });
});
