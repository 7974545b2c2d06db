// A run's end lets its thread go in the same append, and loses nothing that anybody wants of it.

import { expect, test } from 'vitest';
import { brokenInvariants } from '@continuo/testkit/fixtures';
import type { StoredEvent } from '../../src/log/event.ts';
import { ClaimSnapshot, type FactRow } from '../../src/runs/facts/facts.ts';
import { createLoop, requestCancel, TestHold, useLog, type LoopSettings } from './support.ts';

const world = useLog();
const POD = '00000000-0000-7000-8000-0000000000aa';
const types = (events: readonly StoredEvent[]) => events.map(({ type }) => type);

interface Thread {
  owner: string | null;
  attempt: number;
  wake_at: Date | null;
}

async function threadRow(id: string): Promise<Thread> {
  const { rows } = await world.pool.query<Thread>(
    'select owner, attempt, wake_at from threads where id = $1',
    [id],
  );
  return rows[0]!;
}

/** Queues a message as a request does, and claims the thread if it is free. */
async function enqueue(threadId: string, script: unknown) {
  const run = crypto.randomUUID();
  const message = crypto.randomUUID();
  const content = JSON.stringify({ text: JSON.stringify(script) });
  const { rows } = await world.pool.query<{
    claimed_attempt: number | null;
    log_seq: number | null;
    blocked_by: string | null;
    ordinal: number;
    queued_at: Date;
    workspace_id: string;
  }>(
    `select * from enqueue_run($1, $2, $3, $4, 'offline/script', 'assistant', null, null, $5, 'enqueue', null, '{"kind":"local"}')`,
    [threadId, run, message, content, POD],
  );
  const row = rows[0]!;
  const fact: FactRow = {
    stop: false,
    pinged_at: null,
    title_wanted: false,
    state_edits: null,
    pause: false,
    rewind_to: null,
    steers: null,
    decisions: null,
    family: null,
    is_child: false,
    principal: '{"kind":"local"}',
    id: run,
    ordinal: row.ordinal,
    model: 'offline/script',
    role: 'assistant',
    limits: null,
    queued_at: row.queued_at,
    cancel_reason: null,
    message_id: message,
    content,
    workspace_id: row.workspace_id,
  };
  return { run, ...row, claim: row.log_seq === null ? null : new ClaimSnapshot(row.log_seq, [fact]) };
}

async function begun(script: unknown, settings: LoopSettings = {}) {
  const loop = await createLoop(world, settings);
  const thread = await world.thread();
  const first = await enqueue(thread, script);
  const hold = new TestHold(thread, first.claimed_attempt!, first.claim);
  return { loop, thread, run: first.run, hold, work: () => loop.work(hold) };
}

test('a run that was claimed with its message needs no read of the facts, and its end releases the thread', async () => {
  const { thread, run, work } = await begun({ steps: [{ text: 'hello' }] });
  expect(await work()).toBe('released');
  expect(await threadRow(thread)).toEqual({ owner: null, attempt: 1, wake_at: expect.any(Date) });
  const log = await world.log(thread);
  expect(types(log).slice(-5)).toEqual(['message_end', 'usage', 'final', 'state', 'session']);
  const { rows } = await world.pool.query<{ n: number }>(
    "select count(distinct xmin::text)::int as n from events where thread_id = $1 and type in ('message_end', 'usage', 'final', 'session') and seq > 1",
    [thread],
  );
  expect(rows[0]!.n).toBe(1);
  const ended = await world.pool.query('select status, usage is not null as used from runs where id = $1', [
    run,
  ]);
  expect(ended.rows).toEqual([{ status: 'done', used: true }]);
  expect(await brokenInvariants(world.database.pool)).toEqual([]);
});

test('RUN-2 a message that arrives during a run prevents the release, noticed or not, and is answered', async () => {
  let later: Promise<void> | null = null;
  let thread = '';
  const started = await begun(
    { steps: [{ delay_ms: 1, text: 'one two three' }] },
    { sleep: () => (later ??= enqueue(thread, { steps: [{ text: 'second' }] }).then(() => undefined)) },
  );
  thread = started.thread;
  // Nobody wakes the actor: what it knows by itself must be enough.
  expect(await started.work()).toBe('released');
  const finals = (await world.log(thread)).flatMap((event) =>
    event.type === 'final' ? [event.data.text] : [],
  );
  expect(finals).toEqual(['one two three', 'second']);
  expect(await threadRow(thread)).toMatchObject({ owner: null, wake_at: expect.any(Date) });
});

test('RUN-2 the thread is not released while further messages are queued', async () => {
  const { thread, work } = await begun({ steps: [{ text: '1' }] });
  for (const text of ['2', '3', '4']) await enqueue(thread, { steps: [{ text }] });
  expect(await work()).toBe('released');
  const finals = (await world.log(thread)).flatMap((event) =>
    event.type === 'final' ? [event.data.text] : [],
  );
  expect(finals).toEqual(['1', '2', '3', '4']);
});

test('RUN-10 a cancel that comes before the last message is written wins, and the message is kept', async () => {
  let canceled: Promise<void> | null = null;
  let run = '';
  const started = await begun(
    { steps: [{ delay_ms: 1, text: 'one two three' }] },
    { sleep: () => (canceled ??= requestCancel(world, run)) },
  );
  run = started.run;
  // The model is not told: the run learns of it when it wants to end.
  await started.work();
  const log = await world.log(started.thread);
  expect(types(log)).not.toContain('final');
  expect(types(log).slice(-3)).toEqual(['canceled', 'state', 'session']);
  expect(log.flatMap((event) => (event.type === 'message_end' ? [event.data.text] : []))).toEqual([
    'one two three',
  ]);
  const { rows } = await world.pool.query<{ content: { text: string } }>(
    "select content::jsonb as content from messages where run_id = $1 and role = 'assistant'",
    [run],
  );
  expect(rows.map(({ content }) => content.text)).toEqual(['one two three']);
  expect(await brokenInvariants(world.database.pool)).toEqual([]);
});

test('L3 a former owner’s end does not release a thread that another pod holds', async () => {
  const { thread, work } = await begun({ steps: [{ text: 'late' }] });
  const other = '00000000-0000-7000-8000-0000000000bb';
  await world.pool.query('update threads set owner = $2, attempt = attempt + 1 where id = $1', [
    thread,
    other,
  ]);
  await work();
  expect(await threadRow(thread)).toMatchObject({ owner: other, attempt: 2 });
});

test('a thread that already has a log is read, and continues where the log ends', async () => {
  const { loop, thread, work } = await begun({ steps: [{ text: 'first' }] });
  await work();
  const second = await enqueue(thread, { steps: [{ text: 'second' }] });
  expect(second.log_seq).toBe((await world.log(thread)).length);
  expect(await loop.work(new TestHold(thread, second.claimed_attempt!, second.claim))).toBe('released');
  expect(await brokenInvariants(world.database.pool)).toEqual([]);
  expect((await world.log(thread)).filter(({ type }) => type === 'final')).toHaveLength(2);
});
