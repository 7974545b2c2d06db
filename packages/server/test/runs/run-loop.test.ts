// The run loop with an actor of its own, taken away at every moment, and tools that do everything they should not.

import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { brokenInvariants } from '@continuo/testkit/fixtures';
import type { StoredEvent } from '../../src/log/event.ts';
import type { AnyTool } from '../../src/tools/registry.ts';
import { createLoop, play, requestCancel, useLog } from './support.ts';

const world = useLog();
const base = { description: 'A tool.', input: z.object({}).loose() };
const named = <T extends StoredEvent['type']>(events: readonly StoredEvent[], type: T) =>
  events.filter((event): event is Extract<StoredEvent, { type: T }> => event.type === type);
const insert = "insert into effects (kind, key, note) values ($1, $2, '')";

const writes: AnyTool = {
  ...base,
  name: 'writes',
  effect: 'transactional',
  run: async (_, { sql, key }) => void (await sql.query(insert, ['writes', key])),
};
const sends: AnyTool = {
  ...base,
  name: 'sends',
  effect: 'external',
  run: async (_, { key }) => void (await world.pool.query(insert, ['sends', key])),
};
const looks: AnyTool = { ...base, name: 'looks', effect: 'pure', run: () => Promise.resolve({ seen: 1 }) };
const SCRIPT = {
  steps: [
    {
      delay_ms: 1,
      reasoning: 'hm',
      text: 'one two',
      calls: [{ tool: 'writes' }, { tool: 'looks' }, { tool: 'sends' }],
    },
    { text: 'three', calls: [{ tool: 'writes' }, { tool: 'writes' }] },
    { delay_ms: 1, text: 'the end' },
  ],
};

/** Runs the script with the hold taken away right after the nth commit; then another actor goes on. */
async function interrupted(nth: number) {
  let commits = 0;
  let lose = () => {};
  const loop = await createLoop(world, {
    tools: [writes, sends, looks],
    publish: () => {
      commits += 1;
      if (commits === nth) lose();
    },
  });
  const threadId = await world.thread();
  const runId = await world.run(threadId, SCRIPT);
  const first = await loop.hold(threadId);
  lose = () => first.lose();
  const outcome = await loop.work(first).then(
    () => 'rested',
    () => 'lost',
  );
  await loop.work(await loop.hold(threadId));
  return { runId, outcome, commits, events: await world.log(threadId) };
}

let lives: Awaited<ReturnType<typeof interrupted>>[];
beforeAll(async () => {
  const { commits } = await interrupted(Infinity);
  lives = [];
  for (let nth = 1; nth <= commits; nth += 1) lives.push(await interrupted(nth));
});

test('RUN-16 after losing its thread at any commit, a run is brought to the same end by another actor, from the log alone', async () => {
  expect(lives.length).toBeGreaterThan(10);
  expect(lives.map(({ outcome }) => outcome)).toContain('lost');
  for (const { runId, events } of lives) {
    expect(named(events, 'final').map(({ data }) => data.text)).toEqual(['the end']);
    expect(events.filter(({ runId: own }) => own === runId).at(-1)).toMatchObject({
      type: 'state',
      data: { status: 'done' },
    });
    // Finished steps are not redone: three whole messages, five calls, each ended once.
    expect(named(events, 'message_end').map(({ data }) => data.text)).toEqual([
      'one two',
      'three',
      'the end',
    ]);
    expect(named(events, 'tool_end')).toHaveLength(5);
    expect(new Set(named(events, 'tool_end').map(({ data }) => data.call)).size).toBe(5);
    const { rows } = await world.pool.query<{ kind: string; n: number }>(
      'select kind, count(*)::int as n from effects where key like $1 group by kind order by kind',
      [`${runId}:%`],
    );
    const unknown = named(events, 'tool_end').filter(({ data }) => data.outcome === 'unknown').length;
    expect(rows.find(({ kind }) => kind === 'writes')).toEqual({ kind: 'writes', n: 3 });
    expect((rows.find(({ kind }) => kind === 'sends')?.n ?? 0) <= 1 && unknown <= 1).toBe(true);
  }
  expect(await brokenInvariants(world.database.pool)).toEqual([]);
});

test('RUN-9 an unfinished message is superseded by name and generated again', async () => {
  let superseded = 0;
  for (const { events } of lives) {
    const started = named(events, 'message_start').map(({ data }) => data.message);
    expect(started).toEqual(started.map((_, index) => `m${index + 1}`));
    const whole = named(events, 'message_end').map(({ data }) => data.message);
    const given = named(events, 'state').flatMap(({ data }) =>
      'supersedes' in data ? [data.supersedes] : [],
    );
    superseded += given.length;
    expect([...whole, ...given].toSorted()).toEqual(started.toSorted());
  }
  expect(superseded).toBeGreaterThan(0);
});

test.each<[string, () => unknown, RegExp]>([
  ['an error', () => Promise.reject(new Error('plain words')), /^plain words$/],
  [
    'an error before it is a promise',
    () => {
      throw new TypeError('too early');
    },
    /^too early$/,
  ],
  ['a string', () => Promise.reject('only a string'), /^only a string$/],
  ['nothing', () => Promise.reject(), /^undefined$/],
  ['null', () => Promise.reject(null), /^null$/],
  [
    'something like a database error',
    () => Promise.reject(Object.assign(new Error('dup'), { code: '23505' })),
    /^dup$/,
  ],
  [
    'something like a connection error',
    () => Promise.reject(Object.assign(new Error('reset'), { code: 'ECONNRESET' })),
    /^reset$/,
  ],
])(
  'a tool that throws %s fails its call, whatever its effect, and the run goes on',
  async (_, run, message) => {
    const effects = ['pure', 'idempotent', 'external', 'transactional'] as const;
    const tools = effects.map((effect): AnyTool => ({
      ...base,
      name: effect,
      effect,
      run: run as () => Promise<unknown>,
    }));
    const { events } = await play(
      world,
      { steps: [{ calls: effects.map((tool) => ({ tool })) }, { text: 'went on' }] },
      { tools },
    );
    expect(named(events, 'tool_end')).toHaveLength(4);
    for (const { data } of named(events, 'tool_end')) {
      expect(data).toMatchObject({ success: false, output: { error: expect.stringMatching(message) } });
    }
    expect(named(events, 'final').map(({ data }) => data.text)).toEqual(['went on']);
    expect(named(events, 'state').filter(({ data }) => data.status === 'running')).toHaveLength(1);
  },
);

test.each<[string, unknown, Record<string, unknown>]>([
  ['nothing', undefined, {}],
  ['null', null, {}],
  ['a string', 'text', { result: 'text' }],
  ['a list', [1, 2], { result: [1, 2] }],
  ['a date', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
])('a tool that returns %s gives an object', async (_, value, output) => {
  const tool: AnyTool = { ...base, name: 'tool', effect: 'pure', run: () => Promise.resolve(value) };
  const { events } = await play(
    world,
    { steps: [{ calls: [{ tool: 'tool' }] }, { text: 'x' }] },
    { tools: [tool] },
  );
  expect(named(events, 'tool_end').map(({ data }) => [data.success, data.output])).toEqual([[true, output]]);
});

test.each<[string, unknown]>([
  ['a number too large', { n: 10n }],
  [
    'itself',
    Object.assign(
      {},
      {
        toJSON: () => {
          throw new Error('circular');
        },
      },
    ),
  ],
  ['a function', () => 1],
])('a tool that returns what is no JSON (%s) fails its call, and the run goes on', async (_, value) => {
  const tool: AnyTool = { ...base, name: 'tool', effect: 'transactional', run: () => Promise.resolve(value) };
  const { events } = await play(
    world,
    { steps: [{ calls: [{ tool: 'tool' }] }, { text: 'x' }] },
    { tools: [tool] },
  );
  expect(named(events, 'tool_end').map(({ data }) => data.success)).toEqual([false]);
  expect(named(events, 'final')).toHaveLength(1);
});

test('a schema that throws fails the call, and the run goes on', async () => {
  const input = z.object({}).refine(() => {
    throw new Error('a wrong schema');
  });
  const tool: AnyTool = { ...base, input, name: 'tool', effect: 'external', run: () => Promise.resolve({}) };
  const { events } = await play(
    world,
    { steps: [{ calls: [{ tool: 'tool' }] }, { text: 'x' }] },
    { tools: [tool] },
  );
  expect(named(events, 'tool_end').map(({ data }) => [data.success, data.output])).toEqual([
    [false, { error: expect.stringContaining('a wrong schema') }],
  ]);
  expect(named(events, 'final')).toHaveLength(1);
});

test('events that cannot be written fail their run with a code, and the next run of the thread succeeds', async () => {
  const deep = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as never;
  const tool: AnyTool = {
    ...base,
    name: 'tool',
    effect: 'external',
    words: () => deep,
    run: () => Promise.resolve({}),
  };
  const loop = await createLoop(world, { tools: [tool] });
  const thread = await world.thread();
  await world.run(thread, { steps: [{ text: 'calls', calls: [{ tool: 'tool' }] }, { text: 'x' }] });
  const next = await world.run(thread, { steps: [{ text: 'well' }] });
  await loop.work(await loop.hold(thread));
  const events = await world.log(thread);
  expect(named(events, 'error').map(({ data }) => data.code)).toEqual(['not_writable']);
  expect(named(events, 'tool_end')).toMatchObject([{ data: { success: false, outcome: 'canceled' } }]);
  expect(named(events, 'final')).toMatchObject([{ runId: next, data: { text: 'well' } }]);
  const { rows } = await world.pool.query('select status from runs where thread_id = $1 order by ordinal', [
    thread,
  ]);
  expect(rows).toEqual([{ status: 'error' }, { status: 'done' }]);
});

test('pure tools run concurrently: each waits until all have begun', async () => {
  let begun = 0;
  let all = () => {};
  const everybody = new Promise<void>((resolve) => (all = resolve));
  const tool: AnyTool = {
    ...base,
    name: 'tool',
    effect: 'pure',
    run: async () => {
      begun += 1;
      if (begun === 2) all();
      await everybody;
      return {};
    },
  };
  const { events } = await play(
    world,
    { steps: [{ calls: Array.from({ length: 2 }, () => ({ tool: 'tool' })) }, { text: 'x' }] },
    { tools: [tool] },
  );
  expect(named(events, 'tool_end').map(({ data }) => data.success)).toEqual([true, true]);
});

test('other tools never run concurrently', async () => {
  let now = 0;
  let most = 0;
  const run = async () => {
    now += 1;
    most = Math.max(most, now);
    await world.pool.query('select 1');
    now -= 1;
    return {};
  };
  const tools = (['external', 'idempotent', 'transactional'] as const).map((effect): AnyTool => ({
    ...base,
    name: effect,
    effect,
    run,
  }));
  const calls = Array.from({ length: 9 }, (_, index) => ({ tool: tools[index % 3]!.name }));
  const { events } = await play(world, { steps: [{ calls }, { text: 'x' }] }, { tools });
  expect([most, named(events, 'tool_end').length]).toEqual([1, 9]);
});

test('RUN-10 a tool that does not end within its grace after a cancel is told to stop, and not waited for', async () => {
  let signaled = false;
  let wake = () => {};
  let runId = '';
  const tool: AnyTool = {
    ...base,
    name: 'tool',
    effect: 'external',
    run: async (_, { signal }) => {
      signal.addEventListener('abort', () => (signaled = true));
      await requestCancel(world, runId);
      wake();
      return new Promise(() => {});
    },
  };
  const loop = await createLoop(world, { tools: [tool], cancelGraceMs: 20 });
  const threadId = await world.thread();
  runId = await world.run(threadId, { steps: [{ calls: [{ tool: 'tool' }] }, { text: 'never' }] });
  const hold = await loop.hold(threadId);
  wake = () => hold.onWake?.();
  await loop.work(hold);
  const events = await world.log(threadId);
  expect(signaled).toBe(true);
  expect(named(events, 'tool_end').map(({ data }) => [data.success, data.outcome])).toEqual([
    [false, 'unknown'],
  ]);
  expect(
    events
      .filter(({ runId: own }) => own !== null)
      .slice(-2)
      .map(({ type }) => type),
  ).toEqual(['canceled', 'state']);
});

test('RUN-2 messages that came before the actor are all answered in one hold, in their order', async () => {
  const loop = await createLoop(world);
  const threadId = await world.thread();
  const runs = [];
  for (const text of ['one', 'two', 'three']) runs.push(await world.run(threadId, { steps: [{ text }] }));
  await loop.work(await loop.hold(threadId));
  const events = await world.log(threadId);
  expect(named(events, 'final').map(({ data }) => data.text)).toEqual(['one', 'two', 'three']);
  expect(named(events, 'final').map(({ runId }) => runId)).toEqual(runs);
});

test('a wall clock that is set forward does not end a run by its limit of time; the time that passes does', async () => {
  const ended = async (jump: 'wall clock' | 'time') => {
    let [wall, steady] = [Date.now(), 0];
    const hour: AnyTool = {
      ...base,
      name: 'hour',
      effect: 'pure',
      run: () => {
        wall += 3_600_000;
        if (jump === 'time') steady += 3_600_000;
        return Promise.resolve({});
      },
    };
    const loop = await createLoop(world, { tools: [hour], now: () => wall, elapsed: () => steady });
    const threadId = await world.thread();
    const runId = await world.run(threadId, {
      steps: [{ text: 'one', calls: [{ tool: 'hour' }] }, { text: 'two' }],
    });
    await world.pool.query('update runs set limits = $2 where id = $1', [runId, '{"seconds": 60}']);
    await loop.work(await loop.hold(threadId));
    return (await world.pool.query('select status, error from runs where id = $1', [runId])).rows[0];
  };
  expect(await ended('wall clock')).toEqual({ status: 'done', error: null });
  expect(await ended('time')).toMatchObject({
    status: 'error',
    error: expect.stringContaining('time_limit'),
  });
});

test('a run whose beginning fails while its agent is being made fails with it, and nothing else', async () => {
  const thread = await world.thread();
  await world.run(thread, { steps: [{ text: 'never' }] });
  const [making, made] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  const loop = await createLoop(world, {
    making: () => {
      // The thread is lost while the run’s first append is in flight; the agent is made, or fails, later.
      hold.lose();
      making.resolve();
      return made.promise;
    },
  });
  const hold = await loop.hold(thread);
  const worked = loop.work(hold);
  worked.catch(() => undefined);
  await making.promise;
  await new Promise((resolve) => setImmediate(resolve));
  made.reject(new Error('the connection is lost'));
  await expect(worked).rejects.toThrow('has another owner');
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});
