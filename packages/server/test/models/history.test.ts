// RT-4: whatever happened in a thread, the request made of its history is one that the provider
// takes. The judge is the test server's validator, fed with the request that the AI SDK sends.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MessagePart } from '@continuo/engine';
import { createModels } from '../../src/models/catalog.ts';
import type { HistoryMessage } from '../../src/models/model.ts';
import { ENV, PROVIDERS, type ProviderName, type ProviderServer, WIRES, startProvider } from './server.ts';
import { LS, MODEL, ask, modelFrom, modelsAt, textOf, user } from './support.ts';

const call = (callId: string, path = '/'): MessagePart => ({
  kind: 'tool_call',
  callId,
  tool: 'ls',
  input: { kind: 'json', value: { path } },
});
const result = (callId: string, output: unknown = 'a\nb', failed = false): HistoryMessage => ({
  role: 'tool',
  callId,
  tool: 'ls',
  output,
  failed,
});
const says = (model: string, ...parts: MessagePart[]): HistoryMessage => ({
  role: 'assistant',
  id: 'a',
  model,
  parts,
});
const text = (words: string): MessagePart => ({ kind: 'text', text: words });
const interrupted: HistoryMessage = {
  role: 'system',
  content: '[System: Response was interrupted by user (user_cancelled)]',
};

/** Reasoning as each provider's messages carry it; without a signature it was cut. */
function reasoning(name: ProviderName, signature: string | null): MessagePart {
  const signed = {
    openai: { itemId: `rs_${signature ?? 'cut'}`, reasoningEncryptedContent: signature },
    anthropic: signature === null ? null : { signature },
    google: signature === null ? null : { thoughtSignature: signature },
    compatible: null,
  }[name];
  return { kind: 'reasoning', text: 'Hm.', ...(signed && { metadata: { [name]: signed } }) };
}

async function withServer<Result>(work: (server: ProviderServer) => Promise<Result>): Promise<Result> {
  await using server = await startProvider();
  return await work(server);
}

/** Asks for real, so that a refusal would be an error; gives back what was sent. */
function sent(name: ProviderName, history: readonly HistoryMessage[], tools = [LS]): Promise<string> {
  return withServer(async (server) => {
    const events = await ask(modelFrom(modelsAt(server), MODEL[name]), { history, tools });
    expect(events.at(-1)).toMatchObject({ type: 'message_stop' });
    expect(textOf(events)).toBe('Hello');
    return JSON.stringify(server.received.at(-1)!.body);
  });
}

describe.each(PROVIDERS)('%s', (name) => {
  const own = MODEL[name];

  test('RT-4 earlier calls and their results are in the request, paired', async () => {
    const body = await sent(name, [
      user('List both'),
      says(own, text('I look.'), call('c1', '/a'), call('c2', '/b')),
      result('c2', { files: ['two'] }),
      result('c1', 'one'),
      says(own, text('There.')),
      user('Thanks'),
    ]);
    for (const piece of ['I look.', '/a', '/b', 'one', 'two', 'There.', 'Thanks'])
      expect(body).toContain(piece);
    expect(body.indexOf('one')).toBeLessThan(body.indexOf('two'));
  });

  test('RT-4 a cancel in the middle of three calls leaves a request that is valid', async () => {
    const body = await sent(name, [
      user('Go'),
      says(own, call('c1'), call('c2'), call('c3')),
      result('c2', 'second'),
      interrupted,
      user('Again'),
    ]);
    expect(body.match(/the call was interrupted/g)).toHaveLength(2);
    expect(body).toContain('interrupted by user');
  });

  test('RT-4 results without a call are left out', async () => {
    const body = await sent(name, [
      result('lost', 'orphan'),
      user('Hi'),
      result('c9', 'orphan'),
      user('There?'),
    ]);
    expect(body).not.toContain('orphan');
  });

  test('RT-4 calls that share an id are told apart', async () => {
    const turn = [says(own, call('m1_0')), result('m1_0'), says(own, text('Done.'))];
    await sent(name, [user('One'), ...turn, user('Two'), ...turn, user('Three')]);
  });

  test('RT-4 input that was no JSON, or no object, goes back in a valid form', async () => {
    const invalid = { kind: 'invalid', text: '{"path": oops' } as const;
    const list = { kind: 'json', value: ['/a'] } as const;
    const body = await sent(name, [
      user('Go'),
      says(
        own,
        { kind: 'tool_call', callId: 'c1', tool: 'ls', input: invalid },
        { kind: 'tool_call', callId: 'c2', tool: 'functions.ls please', input: list },
      ),
      result('c1', 'the input is not valid JSON', true),
      result('c2', undefined),
    ]);
    expect(body).toContain('oops');
    if (name === 'anthropic') expect(body.match(/"is_error":true/g)).toHaveLength(1);
    if (name === 'openai') expect(body).toContain(String.raw`{\"error\":\"the input is not`);
  });

  test('RT-4 empty words, cut answers and answers in a row are no obstacle', async () => {
    await sent(name, []);
    await sent(name, [user(' '), says(own, text('  ')), says(own)]);
    await sent(name, [says(own, text('Hello')), says(own, text('again'))]);
    await sent(name, [user('Hi'), says(own, reasoning(name, null)), interrupted]);
    await sent(name, [user('Hi'), says(own, text('Half an ans'))]);
  });

  test('RT-4 what another provider signed is not shown to this one', async () => {
    const others = PROVIDERS.filter((other) => other !== name);
    const body = await sent(
      name,
      others.flatMap((other) => [
        user('Go'),
        says(MODEL[other], reasoning(other, `secret-${other}`), text('I look.'), {
          ...call(`call_${other}`),
          metadata: { [other]: { itemId: `fc_${other}`, thoughtSignature: `secret-${other}` } },
        }),
        result(`call_${other}`),
      ]),
    );
    expect(body).not.toMatch(/secret|Hm\./);
    expect(body).toContain('I look.');
  });

  test('RT-4 a history with calls is taken when there are no tools any more', async () => {
    await sent(name, [user('Go'), says(own, call('c1')), result('c1'), user('And?')], []);
  });
});

// ——— any history at all

const signature = fc.constantFrom('s1', 's2', 's3');
const ISSUED = new Set(['s1', 's2', 's3']);
const provider = fc.constantFrom(...PROVIDERS);
const words = fc.constantFrom('', ' ', '\n', 'Hello.', 'Half an ans', 'x'.repeat(50));
const callIds = fc.constantFrom('c1', 'c2', 'm1_0', 'weird id/é', 'z'.repeat(90), '');
const input = fc.oneof(
  fc.record({ kind: fc.constant('json' as const), value: fc.jsonValue() }),
  fc.record({ kind: fc.constant('invalid' as const), text: fc.string() }),
);
const part = (name: ProviderName): fc.Arbitrary<MessagePart> =>
  fc.oneof(
    words.map(text),
    fc.option(signature).map((given) => reasoning(name, given)),
    fc.record({
      kind: fc.constant('tool_call' as const),
      callId: callIds,
      tool: fc.constantFrom('ls', 'read', 'no such tool!', '9lives', ''),
      input,
    }),
  );
const output = fc.oneof(fc.string(), fc.jsonValue(), fc.constant(undefined));

/** A turn as the executor could have left it: answered, cut, canceled, crashed, with another model. */
const turn: fc.Arbitrary<HistoryMessage[]> = provider.chain((name) =>
  fc
    .record({
      asks: fc.option(words),
      answers: fc.array(fc.array(part(name), { maxLength: 5 }), { maxLength: 3 }),
      results: fc.array(fc.record({ callId: callIds, output, failed: fc.boolean(), late: fc.boolean() }), {
        maxLength: 5,
      }),
      canceled: fc.boolean(),
      known: fc.boolean(),
    })
    .map(({ asks, answers, results, canceled, known }) => {
      const told = results.map(({ callId, output: value, failed }) => result(callId, value, failed));
      const assistant = answers.map((parts): HistoryMessage => {
        const message = { role: 'assistant' as const, id: 'a', parts };
        return known ? { ...message, model: MODEL[name] } : message;
      });
      const late = results[0]?.late ?? false;
      return [
        ...(asks === null ? [] : [user(asks)]),
        ...(late ? [...assistant, ...told] : assistant.flatMap((each) => [each, ...told.splice(0, 2)])),
        ...(canceled ? [interrupted] : []),
      ];
    }),
);

let body: Record<string, unknown> | null = null;
const models = createModels(
  { now: Date.now, sleep: () => Promise.resolve() },
  {
    env: { ...ENV, OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' },
    fetch: async (_url, init) => {
      body = JSON.parse(init!.body as string) as Record<string, unknown>;
      return new Response('{}', { status: 400 });
    },
  },
);

test.each(PROVIDERS)('RT-4 any history yields a request that is valid for %s', async (name) => {
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { maxLength: 6 }), async (turns) => {
      body = null;
      await ask(modelFrom({ models, slept: [] }, MODEL[name]), { history: turns.flat(), reasoning: 'high' });
      expect(WIRES[name].problemWith(body!, ISSUED)).toBeNull();
    }),
    { numRuns: 400 },
  );
});
