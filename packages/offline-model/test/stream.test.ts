// The stream of the offline models, their scripts, and which of them there are.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StreamEvent } from '@continuo/engine';
import { createOfflineModel, OFFLINE_MODELS, type HistoryMessage, type OfflineWorld } from '../src/index.ts';
import { createWorld, modelOf, ask, user, textOf, callsOf } from './support.ts';

describe('the stream', () => {
  const script = (...steps: unknown[]): HistoryMessage => user(JSON.stringify({ steps }));

  test('RT-7 the demo model speaks at a human pace, the instant one without waiting', async () => {
    const slow = createWorld();
    const events = await ask(modelOf('offline/demo', slow), { history: [user('hello')] });
    const deltas = events.filter((event) => event.type === 'text_delta');
    expect(slow.slept).toHaveLength(deltas.length);
    const average = slow.slept.slice(1).reduce((sum, ms) => sum + ms, 0) / (slow.slept.length - 1);
    expect(average).toBeGreaterThan(20);
    expect(average).toBeLessThan(30);
    const fast = createWorld();
    await ask(modelOf('offline/instant', fast), { history: [user('hello')] });
    expect(fast.slept).toEqual([]);
  });

  test('an event carries the time of its world', async () => {
    const events = await ask(modelOf('offline/script'), {
      history: [script({ text: 'a b', delay_ms: 40, first_delay_ms: 100 })],
    });
    expect(events.filter((event) => event.type === 'text_delta').map((event) => event.at)).toEqual([
      1100, 1140,
    ]);
  });

  test('a script gives text, reasoning, calls and made-up tokens, in a well-formed stream', async () => {
    const step = {
      reasoning: 'let me  see',
      text: ' one two\nthree',
      tokens: 2,
      calls: [
        { tool: 'x', input: { a: '😀'.repeat(20) } },
        { tool: 'y', raw: '{"broken' },
      ],
    };
    const events = await ask(modelOf('offline/script'), { history: [script(step)], messageId: 'id:1' });
    expect(events.filter((event) => !event.type.endsWith('_delta')).map((event) => event.type)).toEqual([
      'message_start',
      'reasoning_block_start',
      'reasoning_block_stop',
      'text_block_start',
      'text_block_stop',
      'tool_input_start',
      'tool_input_stop',
      'tool_input_start',
      'tool_input_stop',
      'message_stop',
    ]);
    expect(textOf(events)).toBe(' one two\nthreethe run ');
    expect(callsOf(events)).toEqual([
      { callId: 'id_1_0', tool: 'x', text: JSON.stringify({ a: '😀'.repeat(20) }) },
      { callId: 'id_1_1', tool: 'y', text: '{"broken' },
    ]);
    for (const event of events)
      if (event.type === 'tool_input_delta') expect(event.text.isWellFormed()).toBe(true);
    const output = events.filter((event) => event.type.endsWith('_delta')).length;
    expect(events.at(-1)).toMatchObject({
      type: 'message_stop',
      reason: 'tool_use',
      usage: { output, reasoning: 3 },
    });
  });

  test('the deltas of any text, put together, are the text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        expect(textOf(await ask(modelOf('offline/script'), { history: [script({ text })] }))).toBe(text);
      }),
    );
  });

  test('a script may split its text itself', async () => {
    const events = await ask(modelOf('offline/script'), { history: [script({ deltas: ['a', 'bc', 'd '] })] });
    expect(events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : []))).toEqual([
      'a',
      'bc',
      'd ',
    ]);
  });

  test('the step of a script is counted from the history, past markers and results', async () => {
    const history: HistoryMessage[] = [script({ text: 'zero' }, { text: 'one' })];
    const model = modelOf('offline/script');
    history.push(
      { role: 'assistant', id: 'm0', parts: [{ kind: 'text', text: 'zero' }] },
      { role: 'tool', callId: 'c', tool: 't', output: null, failed: false },
    );
    history.push({ role: 'system', content: 'interrupted' });
    expect(textOf(await ask(model, { history }))).toBe('one');
    history.push({ role: 'assistant', id: 'm1', parts: [] });
    expect(textOf(await ask(model, { history }))).toBe('done.');
  });

  test('an error of a script ends the stream after its text', async () => {
    const events = await ask(modelOf('offline/script'), {
      history: [script({ text: 'half', error: { code: 'overloaded', message: 'too busy' } })],
    });
    expect(events.map((event) => event.type)).toEqual([
      'message_start',
      'text_block_start',
      'text_delta',
      'stream_error',
    ]);
    expect(events.at(-1)).toMatchObject({ code: 'overloaded', message: 'too busy' });
  });

  const broken: [what: string, content: string, says: RegExp][] = [
    ['text that is not JSON', 'hello', /not JSON/],
    ['no steps', '{}', /at steps: /],
    ['a field that does not exist', '{"steps":[{"txt":"a"}]}', /at steps\[0\]: .*txt/],
    ['a field of the wrong type', '{"steps":[{"delay_ms":"5"}]}', /at steps\[0\]\.delay_ms: /],
    ['text and deltas at once', '{"steps":[{"text":"a","deltas":["a"]}]}', /text or deltas, not both/],
  ];
  test.each(broken)(
    'a script with %s is an invalid_script error that says what is wrong',
    async (_, content, says) => {
      const events = await ask(modelOf('offline/script'), { history: [user(content)] });
      const last = events.at(-1);
      expect(last).toMatchObject({ type: 'stream_error', code: 'invalid_script' });
      expect(last?.type === 'stream_error' ? last.message : '').toMatch(says);
    },
  );

  test('an abort is the last event: before the start, between deltas, in a wait, and in a hang', async () => {
    const interrupted = { type: 'stream_interrupted', reason: 'aborted' };
    expect(
      await ask(modelOf('offline/script'), { history: [script({ text: 'a' })], signal: AbortSignal.abort() }),
    ).toMatchObject([interrupted]);

    const between = new AbortController();
    const seen: StreamEvent[] = [];
    for await (const event of modelOf('offline/script').stream({
      messageId: 'm',
      system: '',
      history: [script({ tokens: 50 })],
      tools: [],
      signal: between.signal,
    })) {
      seen.push(event);
      if (seen.length === 10) between.abort();
    }
    expect(seen).toHaveLength(11);
    expect(seen.at(-1)).toMatchObject(interrupted);

    for (const ends of ['resolves', 'rejects']) {
      const waiting = new AbortController();
      const world: OfflineWorld = {
        now: () => 0,
        sleep: (_, signal) =>
          new Promise((resolve, reject) =>
            signal.addEventListener('abort', () =>
              ends === 'resolves' ? resolve() : reject(new Error('aborted')),
            ),
          ),
      };
      const asked = ask(modelOf('offline/demo', world), { history: [user('hi')], signal: waiting.signal });
      setImmediate(() => waiting.abort());
      expect((await asked).map((event) => event.type)).toEqual(['message_start', 'stream_interrupted']);
    }

    const hanging = new AbortController();
    const asked = ask(modelOf('offline/script'), {
      history: [script({ text: 'a', hang: true })],
      signal: hanging.signal,
    });
    setImmediate(() => hanging.abort());
    expect((await asked).map((event) => event.type)).toEqual([
      'message_start',
      'text_block_start',
      'text_delta',
      'stream_interrupted',
    ]);
  });

  test('call ids keep to letters, digits, _ and -, and to 64 characters', async () => {
    const history = [
      script({
        calls: [
          { tool: 'a', input: {} },
          { tool: 'a', input: {} },
        ],
      }),
    ];
    for (const messageId of ['0199-abc', 'run:1/é', 'x'.repeat(100)]) {
      const ids = callsOf(await ask(modelOf('offline/script'), { history, messageId })).map(
        (call) => call.callId,
      );
      expect(new Set(ids).size).toBe(2);
      for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    }
  });

  test('200 tokens without delay cost well under a millisecond', async () => {
    const model = modelOf('offline/script', { now: () => 0, sleep: async () => undefined });
    const history = [script({ tokens: 200 })];
    for (let warm = 0; warm < 100; warm += 1) await ask(model, { history });
    const costs: number[] = [];
    for (let run = 0; run < 51; run += 1) {
      const start = performance.now();
      await ask(model, { history });
      costs.push(performance.now() - start);
    }
    // The quickest of them: what the rest took longer is the machine's own business.
    expect(Math.min(...costs)).toBeLessThan(1);
  });
});

describe('the models', () => {
  test('a script makes as many calls as one message may, and the others are dropped', async () => {
    const model = createOfflineModel({ id: 'offline/script', world: createWorld(), mostCalls: 2 });
    const steps = [{ calls: ['a', 'b', 'c'].map((name) => ({ tool: name })) }];
    const events = await ask(model!, { history: [user(JSON.stringify({ steps }))] });
    expect(callsOf(events).map((call) => call.tool)).toEqual(['a', 'b']);
    expect(events.at(-1)).toMatchObject({ type: 'message_stop', reason: 'tool_use' });
  });

  test('there is no offline model of another name', () => {
    const made = (id: string) => createOfflineModel({ id, world: createWorld(), mostCalls: 1 });
    expect(OFFLINE_MODELS.map((id) => made(id)?.id)).toEqual([
      'offline/demo',
      'offline/instant',
      'offline/script',
    ]);
    expect(made('offline/toString')).toBeNull();
    expect(made('constructor')).toBeNull();
  });
});
