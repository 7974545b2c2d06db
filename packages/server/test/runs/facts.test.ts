// What people want of a thread, as its actor sees to it: pause, stop, steer, rewind, approvals, idling, titles. The facts are
// written as any pod would write them; the actor is a test's own, and can be taken away.

import { v7 as uuidv7 } from 'uuid';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { brokenInvariants } from '@continuo/testkit/fixtures';
import { EMPTY, foldAll } from '../../src/threads/fold.ts';
import type { AnyTool } from '../../src/tools/registry.ts';
import { createLoop, requestCancel, useLog, type LoopSettings, type TestHold } from './support.ts';

const world = useLog();
const WORKSPACE = '00000000-0000-7000-8000-000000000001';
const base = { description: 'A tool.', input: z.object({}).loose() };
const looks: AnyTool = { ...base, name: 'looks', effect: 'pure', run: () => Promise.resolve({ seen: 1 }) };
/** Asked for by default, as all that is external. */
const sends: AnyTool = {
  ...base,
  name: 'sends',
  effect: 'external',
  run: (input: unknown) => Promise.resolve({ sent: input }),
};

let held: TestHold;
/** A pure tool; somebody wants something of the thread meanwhile, and its actor is woken. */
const meanwhile = (act: () => Promise<unknown>): AnyTool => ({
  ...base,
  name: 'meanwhile',
  effect: 'pure',
  run: async () => {
    await act();
    held.onWake?.();
  },
});
beforeAll(() => world.pool.query('update workspaces set policy = null'));

interface Event {
  readonly type: string;
  readonly data: Record<string, unknown>;
  readonly runId: string | null;
}
const logOf = async (thread: string) => (await world.log(thread)) as unknown as Event[];
const typesOf = (events: readonly Event[]) => events.map(({ type }) => type);
const sessionsOf = (events: readonly Event[]) =>
  events.flatMap(({ type, data }) =>
    type === 'session' ? [`${data['from_state'] as string}→${data['to_state'] as string}`] : [],
  );
const told = (events: readonly Event[], type: string) =>
  events.filter((event) => event.type === type).map(({ data }) => data);
const historyOf = async (thread: string) =>
  foldAll(EMPTY, await world.log(thread)).history.map(({ entry }) =>
    entry.role === 'tool'
      ? entry.output
      : 'parts' in entry
        ? entry.parts.map((part) => (part.kind === 'text' ? part.text : part.kind)).join(' ')
        : entry.content,
  );
const wish = (sql: string, ...values: unknown[]) => world.pool.query(sql, values);
const pause = (run: string, at: string | null = 'now') =>
  wish('update runs set pause_requested_at = $2::timestamptz where id = $1', run, at);
const stop = (thread: string) => wish(`select stop_thread($1, 'user_cancelled', '{"kind":"local"}')`, thread);
const say = async (
  thread: string,
  script: unknown,
  { policy = 'enqueue', replaces = null }: { policy?: string; replaces?: string | null } = {},
) => {
  const [run, message] = [uuidv7(), uuidv7()];
  const content = JSON.stringify({ text: typeof script === 'string' ? script : JSON.stringify(script) });
  const { rows } = await world.pool.query<{ steered: string | null }>(
    `select steered from enqueue_run($1, $2, $3, $4, 'offline/script', 'assistant', null, null, null, $5, $6, '{"kind":"local"}')`,
    [thread, run, message, content, policy, replaces],
  );
  return { run: rows[0]!.steered ?? run, message, steered: rows[0]!.steered !== null };
};
const approvals = async (run: string) =>
  (
    await world.pool.query<{ id: string; decision: string | null; kind: string }>(
      'select id, decision, kind from approvals where run_id = $1 order by id',
      [run],
    )
  ).rows;
const decideOn = (id: string, decision: string, input: unknown = null, comment: string | null = null) =>
  wish(
    'update approvals set decision = $2, decided_input = $3, comment = $4, decided_at = now() where id = $1',
    id,
    decision,
    input === null ? null : JSON.stringify(input),
    comment,
  );
const play = async (thread: string, settings: LoopSettings = {}) => {
  const loop = await createLoop(world, { tools: [looks, sends], ...settings });
  held = await loop.hold(thread);
  return loop.work(held);
};
const OK = { steps: [{ text: 'ok' }] };
const TWO = { steps: [{ text: 'one', calls: [{ tool: 'meanwhile' }] }, { text: 'two' }] };

test('a pause waits for the step to end, lets the thread go, and survives any number of looks; resume goes on', async () => {
  const thread = await world.thread();
  const { run } = await say(thread, TWO);
  const rested = await play(thread, { tools: [meanwhile(() => pause(run))] });
  expect(rested).toEqual({ wakeAt: null });
  const paused = await logOf(thread);
  expect(typesOf(paused).slice(-2)).toEqual(['tool_end', 'session']);
  expect(paused.at(-1)).toMatchObject({ runId: run, data: { to_state: 'paused', reason: 'user_paused' } });
  for (let look = 0; look < 30; look += 1) await play(thread);
  expect(await logOf(thread)).toEqual(paused);
  await pause(run, null);
  await play(thread);
  const events = await logOf(thread);
  expect(sessionsOf(events)).toEqual(['idle→running', 'running→paused', 'paused→running', 'running→idle']);
  expect(told(events, 'final')).toMatchObject([{ text: 'two' }]);
});

test('a pause of a run that waits in the queue is kept: it begins, and pauses', async () => {
  const thread = await world.thread();
  const { run } = await say(thread, OK);
  await pause(run);
  await play(thread);
  expect(sessionsOf(await logOf(thread))).toEqual(['idle→running', 'running→paused']);
  expect(told(await logOf(thread), 'message_start')).toEqual([]);
});

test('stop cancels the running and the queued runs and the session; the next message starts another session', async () => {
  const thread = await world.thread();
  await say(thread, TWO);
  await say(thread, OK);
  await play(thread, { tools: [meanwhile(() => stop(thread))] });
  const events = await logOf(thread);
  expect(told(events, 'canceled')).toEqual([{ reason: 'user_cancelled' }, { reason: 'user_cancelled' }]);
  expect(sessionsOf(events)).toEqual(['idle→running', 'running→cancelled']);
  await say(thread, OK);
  await play(thread);
  const later = (await logOf(thread)).slice(events.length);
  expect(sessionsOf(later)).toEqual(['idle→running', 'running→idle']);
  expect(told(later, 'final')).toMatchObject([{ text: 'ok' }]);
  expect(await historyOf(thread)).toContain('[System: Response was interrupted by user (user_cancelled)]');
});

test('WS-11 stop aborts the running run first, however many runs are queued', async () => {
  const thread = await world.thread();
  await say(thread, { steps: [{ text: 'a b c', hang: true }] });
  for (let index = 0; index < 50; index += 1) await say(thread, OK);
  const appended: string[][] = [];
  const loop = await createLoop(world, { publish: (rows) => appended.push(rows.map(({ type }) => type)) });
  held = await loop.hold(thread);
  const working = loop.work(held);
  while (!appended.flat().includes('token')) await new Promise((resolve) => setImmediate(resolve));
  await stop(thread);
  const before = appended.length;
  held.onWake!();
  await working;
  const events = await logOf(thread);
  expect(told(events, 'canceled')).toHaveLength(51);
  expect(sessionsOf(events)).toEqual(['idle→running', 'running→cancelled']);
  // All that waited is dropped in one append, beside the end of what ran.
  expect(appended.slice(before).filter((types) => types.includes('canceled'))).toHaveLength(2);
});

test('stop ends a session that idles, one that is paused, and a message that was never begun', async () => {
  const idle = await world.thread();
  await say(idle, OK);
  await play(idle);
  await stop(idle);
  // A message that comes after the stop is not its concern.
  await say(idle, OK);
  await play(idle);
  expect(sessionsOf(await logOf(idle))).toEqual([
    'idle→running',
    'running→idle',
    'idle→cancelled',
    'idle→running',
    'running→idle',
  ]);

  const paused = await world.thread();
  const { run } = await say(paused, OK);
  await pause(run);
  await play(paused);
  await stop(paused);
  await play(paused);
  expect(sessionsOf(await logOf(paused))).toEqual(['idle→running', 'running→paused', 'paused→cancelled']);
  expect(typesOf(await logOf(paused)).slice(-3)).toEqual(['canceled', 'state', 'session']);

  const fresh = await world.thread();
  await say(fresh, OK);
  await stop(fresh);
  await play(fresh);
  expect(typesOf(await logOf(fresh))).toEqual(['canceled', 'state', 'session']);
  expect(sessionsOf(await logOf(fresh))).toEqual(['idle→cancelled']);
});

test('WS-7 a session that idles too long is completed; a ping and a message restart its clock', async () => {
  const thread = await world.thread();
  await say(thread, OK);
  let clock = Date.now();
  const now = () => clock;
  // Somebody looks in while it idles: it rests until the same moment.
  await play(thread, { now });
  const since = foldAll(EMPTY, await world.log(thread)).session!.since;
  clock += 1000;
  expect(await play(thread, { now })).toEqual({ wakeAt: new Date(since + 600_000) });
  await wish('update threads set pinged_at = $2 where id = $1', thread, new Date(since + 300_000));
  clock = since + 600_001;
  expect(await play(thread, { now })).toEqual({ wakeAt: new Date(since + 900_000) });
  clock = since + 900_000;
  expect(await play(thread, { now })).toEqual({ wakeAt: null });
  expect(sessionsOf(await logOf(thread))).toEqual(['idle→running', 'running→idle', 'idle→completed']);
  const { rows } = await world.pool.query('select state, reason from sessions where thread_id = $1', [
    thread,
  ]);
  expect(rows).toEqual([{ state: 'completed', reason: 'idle_timeout' }]);
  await say(thread, OK);
  await play(thread);
  expect(sessionsOf(await logOf(thread)).slice(3)).toEqual(['idle→running', 'running→idle']);
});

test('a message that steers is taken in at the next step, and answered by the same run', async () => {
  const thread = await world.thread();
  const { run } = await say(thread, TWO);
  const steers = meanwhile(async () => {
    const sent = await say(thread, { steps: [{ text: 'as you wish' }] }, { policy: 'steer' });
    expect(sent).toMatchObject({ run, steered: true });
  });
  await play(thread, { tools: [steers] });
  const events = await logOf(thread);
  expect(told(events, 'message').map(({ steer }) => steer ?? false)).toEqual([false, true]);
  expect(told(events, 'final')).toMatchObject([{ text: 'as you wish' }]);
  expect(new Set(events.flatMap(({ runId }) => runId ?? []))).toEqual(new Set([run]));
  const { rows } = await world.pool.query<{ seq: number }>(
    "select seq from messages where thread_id = $1 and role = 'user' order by ordinal, seq",
    [thread],
  );
  expect(rows[1]!.seq).toBe(events.findIndex(({ data }) => data['steer'] === true) + 1);
});

test('a message that steers at the very end is not lost: the run takes it in and goes on', async () => {
  const thread = await world.thread();
  const { run } = await say(thread, OK);
  let sent: Promise<unknown> | null = null;
  const begun = Promise.withResolvers<void>();
  const loop = await createLoop(world, {
    tools: [],
    publish: () => begun.resolve(),
    // The model has finished, and the append of the run's end is in flight.
    sleep: async () => {
      await begun.promise;
      await (sent ??= say(thread, { steps: [{ text: 'one more' }] }, { policy: 'steer' }));
    },
  });
  await wish(
    'update messages set content = $2 where run_id = $1',
    run,
    JSON.stringify({ text: JSON.stringify({ steps: [{ text: 'a b', delay_ms: 1 }] }) }),
  );
  await loop.work(await loop.hold(thread));
  const events = await logOf(thread);
  expect(told(events, 'final')).toMatchObject([{ text: 'one more' }]);
  expect(told(events, 'message_end').map(({ text }) => text)).toEqual(['a b', 'one more']);
});

test('a steering message that a canceled run did not read is kept; if no run is running it is queued', async () => {
  const thread = await world.thread();
  await say(thread, TWO);
  const both = meanwhile(async () => {
    await say(thread, 'wait', { policy: 'steer' });
    await stop(thread);
  });
  await play(thread, { tools: [both] });
  const events = await logOf(thread);
  expect(told(events, 'message')).toMatchObject([{}, { content: 'wait', steer: true }]);
  expect(typesOf(events).slice(-4)).toEqual(['message', 'canceled', 'state', 'session']);
  expect(await say(thread, OK, { policy: 'steer' })).toMatchObject({ steered: false });
});

test('a run is sent 100 messages at most; an interruption has room however many wait', async () => {
  const thread = await world.thread();
  const { run } = await say(thread, ASKING);
  await play(thread);
  for (let index = 0; index < 100; index += 1) await say(thread, OK, { policy: 'steer' });
  await expect(say(thread, OK, { policy: 'steer' })).rejects.toMatchObject({ code: 'CN429' });
  for (let index = 0; index < 100; index += 1) await say(thread, OK);
  await expect(say(thread, OK)).rejects.toMatchObject({ code: 'CN429' });
  await say(thread, { steps: [{ text: 'at last' }] }, { policy: 'interrupt' });
  await play(thread);
  const events = await logOf(thread);
  expect(told(events, 'final')).toMatchObject([{ text: 'at last' }]);
  expect(events.filter(({ runId, data }) => runId === run && data['steer'] === true)).toHaveLength(100);
});

test('interrupt cancels what is open and answers the new message', async () => {
  const thread = await world.thread();
  await say(thread, TWO);
  await play(thread, { tools: [meanwhile(() => say(thread, OK, { policy: 'interrupt' }))] });
  const events = await logOf(thread);
  expect(told(events, 'canceled')).toEqual([{ reason: 'interrupted' }]);
  expect(told(events, 'final')).toMatchObject([{ text: 'ok' }]);
  expect(await historyOf(thread)).toContain('[System: Response was interrupted by user (interrupted)]');
});

test('rollback rewinds the run that had begun; its events stay in the log', async () => {
  const thread = await world.thread();
  await say(thread, { steps: [{ text: 'before' }] });
  await play(thread);
  const kept = await historyOf(thread);
  const { run } = await say(thread, TWO);
  await play(thread, { tools: [meanwhile(() => say(thread, OK, { policy: 'rollback' }))] });
  const events = await logOf(thread);
  const [rewound] = told(events, 'rewound');
  expect(events[rewound!['to_seq'] as number]!.runId).toBe(run);
  expect(await historyOf(thread)).toEqual([...kept, JSON.stringify(OK), 'ok']);
  const { rows } = await world.pool.query<{ id: string }>(
    'select id from runs where thread_id = $1 and rewound',
    [thread],
  );
  expect(rows).toEqual([{ id: run }]);
});

test('a message that is edited and sent again rewinds to where it began, also over several runs', async () => {
  const thread = await world.thread();
  await say(thread, { steps: [{ text: 'first' }] });
  await play(thread);
  const kept = await historyOf(thread);
  const { message } = await say(thread, { steps: [{ text: 'second' }] });
  await say(thread, { steps: [{ text: 'third' }] });
  await play(thread);
  await say(thread, { steps: [{ text: 'better' }] }, { replaces: message });
  await play(thread);
  expect(await historyOf(thread)).toEqual([
    ...kept,
    JSON.stringify({ steps: [{ text: 'better' }] }),
    'better',
  ]);
  await expect(say(thread, OK, { replaces: uuidv7() })).rejects.toMatchObject({ code: 'CN422' });
  // A rewound message cannot be edited any more, and no policy changes what an edit is.
  await expect(say(thread, OK, { replaces: message })).rejects.toMatchObject({ code: 'CN422' });
  await expect(say(thread, OK, { replaces: message, policy: 'steer' })).rejects.toMatchObject({
    code: 'CN422',
  });
});

const rewoundRuns = async (thread: string) =>
  (
    await world.pool.query<{ id: string }>(
      'select id from runs where thread_id = $1 and rewound order by ordinal',
      [thread],
    )
  ).rows.map(({ id }) => id);
const finals = (events: readonly Event[]) => told(events, 'final').map(({ text }) => text);

test('editing a message whose run was canceled in the queue does not rewind the run that was running then', async () => {
  const thread = await world.thread();
  await say(thread, TWO);
  let queued!: { run: string; message: string };
  const cancelInQueue = async () => {
    queued = await say(thread, OK);
    await requestCancel(world, queued.run);
  };
  await play(thread, { tools: [meanwhile(cancelInQueue)] });
  const kept = await historyOf(thread);
  expect(kept.at(-1)).toBe('two');
  await say(thread, { steps: [{ text: 'better' }] }, { replaces: queued.message });
  await play(thread);
  const events = await logOf(thread);
  expect(finals(events)).toEqual(['two', 'better']);
  expect(await historyOf(thread)).toEqual([
    ...kept,
    JSON.stringify({ steps: [{ text: 'better' }] }),
    'better',
  ]);
  expect(told(events, 'rewound')).toEqual([]);
  expect(await rewoundRuns(thread)).toEqual([queued.run]);
  await expect(say(thread, OK, { replaces: queued.message })).rejects.toMatchObject({ code: 'CN422' });
});

test('editing a canceled message rewinds the runs that began after it', async () => {
  const thread = await world.thread();
  await say(thread, TWO);
  let queued!: { run: string; message: string };
  const cancelInQueue = async () => {
    queued = await say(thread, OK);
    await requestCancel(world, queued.run);
  };
  await play(thread, { tools: [meanwhile(cancelInQueue)] });
  const kept = await historyOf(thread);
  const later = await say(thread, { steps: [{ text: 'later' }] });
  await play(thread);
  await say(thread, OK, { replaces: queued.message });
  await play(thread);
  expect(await historyOf(thread)).toEqual([...kept, JSON.stringify(OK), 'ok']);
  expect(await rewoundRuns(thread)).toEqual([queued.run, later.run]);
});

test('editing a queued message leaves the running run alone, unless the policy says otherwise', async () => {
  const thread = await world.thread();
  const first = await say(thread, TWO);
  const edit = async () => {
    const waiting = await say(thread, OK);
    await say(thread, { steps: [{ text: 'edited' }] }, { replaces: waiting.message });
  };
  await play(thread, { tools: [meanwhile(edit)] });
  expect(finals(await logOf(thread))).toEqual(['two', 'edited']);

  const other = await world.thread();
  const begun = await say(other, TWO);
  const rollBack = async () => {
    const waiting = await say(other, OK);
    await say(other, { steps: [{ text: 'edited' }] }, { replaces: waiting.message, policy: 'rollback' });
  };
  await play(other, { tools: [meanwhile(rollBack)] });
  expect(finals(await logOf(other))).toEqual(['edited']);
  expect(await rewoundRuns(other)).toContain(begun.run);
  expect(await rewoundRuns(thread)).not.toContain(first.run);
  expect(await historyOf(other)).toEqual([JSON.stringify({ steps: [{ text: 'edited' }] }), 'edited']);
});

test('editing a message whose second run was canceled in the queue rewinds its first', async () => {
  const thread = await world.thread();
  const { run, message } = await say(thread, OK);
  await play(thread);
  const retry = uuidv7();
  await wish(
    `select enqueue_run($1, $2, $3, null, 'offline/script', 'assistant', null, $4, null, 'enqueue', null, '{"kind":"local"}')`,
    thread,
    retry,
    message,
    run,
  );
  await requestCancel(world, retry);
  await play(thread);
  await say(thread, { steps: [{ text: 'edited' }] }, { replaces: message });
  await play(thread);
  expect(await historyOf(thread)).toEqual([JSON.stringify({ steps: [{ text: 'edited' }] }), 'edited']);
  expect(await rewoundRuns(thread)).toEqual([run, retry]);
});

describe('a rewind that was accepted takes effect though its own run never begins', () => {
  const ways: Record<string, (thread: string, run: string) => Promise<unknown>> = {
    'it is canceled': (_thread, run) => requestCancel(world, run),
    'the thread is stopped': (thread) => stop(thread),
    'another message interrupts': (thread) =>
      say(thread, { steps: [{ text: 'next' }] }, { policy: 'interrupt' }),
  };
  for (const [way, end] of Object.entries(ways))
    for (const killed of [false, true])
      test(`rollback, ${way}${killed ? ', and the pod is gone' : ''}`, async () => {
        const thread = await world.thread();
        await say(thread, { steps: [{ text: 'before' }] });
        await play(thread);
        const kept = await historyOf(thread);
        const { run } = await say(thread, TWO);
        let dropped = '';
        const rollBack = async () => {
          dropped = (await say(thread, OK, { policy: 'rollback' })).run;
          await end(thread, dropped);
          if (killed) held.lose();
        };
        await play(thread, { tools: [meanwhile(rollBack)] }).catch(() => undefined);
        await play(thread);
        await say(thread, { steps: [{ text: 'after' }] });
        await play(thread);
        const events = await logOf(thread);
        const rewinding = events.findIndex(({ type }) => type === 'rewound');
        expect(events.findLastIndex(({ runId }) => runId === run)).toBeLessThan(rewinding);
        // The run itself says nothing but its end: of a run that never began, nothing was interrupted.
        expect(typesOf(events.filter(({ runId }) => runId === dropped))).toEqual(['canceled', 'state']);
        expect(await rewoundRuns(thread)).toEqual([run]);
        const next = JSON.stringify({ steps: [{ text: 'next' }] });
        expect(await historyOf(thread)).toEqual([
          ...kept,
          ...(finals(events).includes('next') ? [next, 'next'] : []),
          JSON.stringify({ steps: [{ text: 'after' }] }),
          'after',
        ]);
      });

  test('an edit of a message that was answered', async () => {
    const thread = await world.thread();
    const { run, message } = await say(thread, OK);
    await play(thread);
    const edit = await say(thread, OK, { replaces: message });
    await requestCancel(world, edit.run);
    await play(thread);
    expect(await historyOf(thread)).toEqual([]);
    expect(told(await logOf(thread), 'rewound')).toHaveLength(1);
    expect(await rewoundRuns(thread)).toEqual([run]);
  });
});

const ASKING = {
  steps: [
    {
      text: 'may I?',
      calls: [
        { tool: 'sends', input: { to: 'a' } },
        { tool: 'sends', input: { to: 'b' } },
      ],
    },
    { text: 'thanks' },
  ],
};

test('PLUS-3 people decide about each call of a batch; the run goes on when all are decided', async () => {
  const thread = await world.thread();
  const { run } = await say(thread, ASKING);
  await play(thread);
  const asked = await approvals(run);
  expect(asked).toMatchObject([
    { decision: null, kind: 'call' },
    { decision: null, kind: 'call' },
  ]);
  const parked = await logOf(thread);
  await decideOn(asked[0]!.id, 'edit', { to: 'c' }, 'rather c');
  await play(thread);
  expect(await logOf(thread)).toEqual(parked);
  await decideOn(asked[1]!.id, 'deny', null, 'not b');
  await play(thread);
  const events = await logOf(thread);
  expect(told(events, 'approval_end')).toEqual([
    {
      approval: asked[0]!.id,
      call: 'm1_0',
      tool: 'sends',
      decision: 'edit',
      input: { to: 'c' },
      comment: 'rather c',
    },
    { approval: asked[1]!.id, call: 'm1_1', tool: 'sends', decision: 'deny', comment: 'not b' },
  ]);
  expect(told(events, 'tool_start')).toMatchObject([{ call: 'm1_0', input: { to: 'c' } }]);
  expect(told(events, 'tool_end')).toMatchObject([
    { call: 'm1_1', success: false, outcome: 'denied' },
    { call: 'm1_0', success: true, output: { sent: { to: 'c' } } },
  ]);
  expect(told(events, 'final')).toMatchObject([{ text: 'thanks' }]);
  // The model is told what people did.
  const results = (await historyOf(thread)).slice(2, 4);
  expect(results[0]).toMatchObject({
    sent: { to: 'c' },
    note: expect.stringMatching(/changed the input to .*rather c/),
  });
  expect(JSON.stringify(results[1])).toContain('not b');
});

test('PLUS-3 a decision that was made while the run is paused waits for it', async () => {
  const thread = await world.thread();
  const { run } = await say(thread, { steps: [{ calls: [{ tool: 'sends' }] }, { text: 'thanks' }] });
  await play(thread);
  await pause(run);
  await play(thread);
  await decideOn((await approvals(run))[0]!.id, 'approve');
  await play(thread);
  expect(told(await logOf(thread), 'approval_end')).toEqual([]);
  await pause(run, null);
  await play(thread);
  expect(told(await logOf(thread), 'final')).toMatchObject([{ text: 'thanks' }]);
});

test('PLUS-3 an approval that nobody decides in time expires, and the call’s result says so', async () => {
  const thread = await world.thread();
  const { run } = await say(thread, { steps: [{ calls: [{ tool: 'sends' }] }, { text: 'well then' }] });
  const rested = await play(thread, { approvalMs: 60_000 });
  const { rows } = await world.pool.query<{ expires_at: Date }>(
    'select expires_at from approvals where run_id = $1',
    [run],
  );
  expect(rested).toEqual({ wakeAt: rows[0]!.expires_at });
  await wish("update approvals set expires_at = now() - interval '1 second' where run_id = $1", run);
  await play(thread);
  expect(await approvals(run)).toMatchObject([{ decision: 'expired' }]);
  const events = await logOf(thread);
  expect(told(events, 'approval_end')).toMatchObject([{ decision: 'expired' }]);
  expect(told(events, 'tool_end')).toMatchObject([{ outcome: 'denied' }]);
  expect(told(events, 'final')).toMatchObject([{ text: 'well then' }]);
});

test('a stopped run has no waiting approvals', async () => {
  const thread = await world.thread();
  const { run } = await say(thread, ASKING);
  await play(thread);
  await stop(thread);
  await play(thread);
  expect(await approvals(run)).toMatchObject([{ decision: 'canceled' }, { decision: 'canceled' }]);
  expect(told(await logOf(thread), 'tool_end')).toMatchObject([
    { outcome: 'canceled' },
    { outcome: 'canceled' },
  ]);
});

test('PLUS-3 a call of unknown outcome is shown to people where the policy asks: it is made again, or not', async () => {
  for (const decision of ['retry', 'skip']) {
    const thread = await world.thread();
    const { run } = await say(thread, { steps: [{ calls: [{ tool: 'sends' }] }, { text: 'end' }] });
    await play(thread);
    await decideOn((await approvals(run))[0]!.id, 'approve');
    // The pod dies in the middle of the call.
    const loop = await createLoop(world, {
      tools: [{ ...sends, run: () => (hold.lose(), new Promise(() => undefined)) } as AnyTool],
    });
    const hold = await loop.hold(thread);
    await expect(loop.work(hold)).rejects.toThrow();
    await play(thread);
    const asked = await approvals(run);
    expect(asked).toMatchObject([{ kind: 'call' }, { kind: 'unknown_outcome', decision: null }]);
    await decideOn(asked[1]!.id, decision);
    await play(thread);
    const events = await logOf(thread);
    expect(told(events, 'tool_end')).toMatchObject([
      decision === 'retry' ? { success: true } : { success: false, outcome: 'unknown' },
    ]);
    expect(told(events, 'final')).toMatchObject([{ text: 'end' }]);
  }
});

test('a policy that denies an approved call wins', async () => {
  const thread = await world.thread();
  const { run } = await say(thread, { steps: [{ calls: [{ tool: 'sends' }] }, { text: 'end' }] });
  await play(thread);
  await decideOn((await approvals(run))[0]!.id, 'approve');
  await wish(
    'update workspaces set policy = $2 where id = $1',
    WORKSPACE,
    JSON.stringify({ rules: [{ tool: 'sends', action: 'deny' }] }),
  );
  await play(thread);
  await wish('update workspaces set policy = null where id = $1', WORKSPACE);
  expect(told(await logOf(thread), 'tool_end')).toMatchObject([{ outcome: 'denied' }]);
});

test('a chat that wants a title gets one after its first turn, once; what people wrote stays', async () => {
  const thread = await world.thread();
  await wish('update threads set title_wanted = true where id = $1', thread);
  await say(thread, JSON.stringify({ steps: [{ text: 'ok' }] }, null, 1));
  await play(thread);
  await say(thread, OK);
  await play(thread);
  const events = await logOf(thread);
  expect(told(events, 'titled')).toEqual([{ title: '{' }]);
  const { rows } = await world.pool.query('select title, title_wanted from threads where id = $1', [thread]);
  expect(rows).toEqual([{ title: '{', title_wanted: false }]);
});

test('every log that these tests wrote is valid', async () => {
  expect(await brokenInvariants(world.database.pool)).toEqual([]);
});
