// PLUS-1 for every dialect, over logs of real runs: wherever a client is cut off, also between the frames of one event, it
// goes on with exactly what it had not seen. A new dialect is one line in `DIALECTS`.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  agent,
  agUi,
  aiSdk,
  parseFrameId,
  runs,
  thread,
  threadEventJson,
  workspace,
  type EventType,
} from '@continuo/protocol';
import { brokenInvariants, freshDatabase, type TestDatabase } from '@continuo/testkit/fixtures';
import { createPool, type Pool } from '../../src/db/pool.ts';
import {
  positionAtStart,
  DialectWriter,
  positionAt,
  type StreamSource,
  type DialectBinding,
} from '../../src/http/streams/dialect-stream.ts';
import type { StoredEvent } from '../../src/log/event.ts';
import { Batch } from '../../src/log/follow.ts';
import { readThreadEvents } from '../../src/log/statements.ts';
import { checkAgent, checkRuns, checkWorkspace, type Check, type SentFrame } from './grammar.ts';
import { checkAgUi, checkAiSdk } from './grammar-clients.ts';
import { parseFrames } from './listen.ts';
import { makeLogs } from './logs.ts';
import { readAiSdk, responsesOf, runAgUi } from './real-clients.ts';

interface Entry {
  // Each has a state of its own.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly binding: DialectBinding<any>;
  readonly of: 'run' | 'thread';
  readonly check: Check;
}

const QUESTION = { id: 'u1', role: 'user' as const, content: 'hello' };
const AG_UI = agUi({ threadId: 'thread', runId: 'run', messages: [QUESTION] });
const AG_UI_GET = agUi({ threadId: 'thread', runId: 'run', messages: null });

const DIALECTS: readonly Entry[] = [
  { binding: { dialect: runs }, of: 'run', check: checkRuns },
  { binding: { dialect: thread, json: threadEventJson }, of: 'thread', check: checkRuns },
  { binding: { dialect: workspace }, of: 'thread', check: checkWorkspace },
  { binding: { dialect: agent }, of: 'run', check: checkAgent },
  { binding: { dialect: aiSdk, closing: 'data: [DONE]\n\n' }, of: 'run', check: checkAiSdk },
  { binding: { dialect: AG_UI, alone: true }, of: 'run', check: checkAgUi },
  // As a GET tells it: the client's conversation is not known.
  { binding: { dialect: AG_UI_GET, alone: true }, of: 'run', check: () => [] },
];

/** A log in a source, and all that a dialect makes of it. */
interface Whole {
  readonly entry: Entry;
  readonly source: StreamSource;
  readonly events: readonly StoredEvent[];
  /** The rest of the thread is in between. */
  readonly rows: readonly StoredEvent[];
  readonly frames: readonly (SentFrame & { raw: string })[];
  readonly closing: string;
}

let database: TestDatabase;
let pool: Pool;
let logs: StoredEvent[][];
beforeAll(async () => {
  database = await freshDatabase();
  pool = createPool(
    { connection: database.url, applicationName: 'dialects', leaseSeconds: 30 },
    () => undefined,
  );
  await makeLogs(database);
  const { rows } = await pool.query<{ id: string }>('select id from threads order by id');
  logs = await Promise.all(rows.map(({ id }) => readThreadEvents(pool, id, 0, 100_000)));
  logs = logs.filter((log) => log.length > 0);
}, 300_000);
afterAll(async () => {
  await pool.end();
  await database.drop();
});

function speak(
  { binding }: Entry,
  source: StreamSource,
  from: Parameters<typeof say>[1],
  rows: readonly StoredEvent[],
  sizes: readonly number[] = [],
): string {
  return say(new DialectWriter(binding, source, from), from, rows, sizes);
}

/** What a speaker says of the rows after its place, in batches of these sizes. */
function say(
  writer: DialectWriter<unknown>,
  { seq }: { readonly seq: number; readonly state: unknown; readonly part: number },
  rows: readonly StoredEvent[],
  sizes: readonly number[],
): string {
  const left = rows.filter((row) => row.seq > seq);
  let text = '';
  for (let turn = 0; left.length > 0; turn += 1) {
    const { bytes, ended } = writer.say(new Batch(left.splice(0, sizes[turn] ?? left.length)), false);
    text += bytes?.toString() ?? '';
    if (ended) break;
  }
  return text;
}

function whole(entry: Entry, rows: readonly StoredEvent[], runId: string | null): Whole {
  const first = rows.findIndex((row) => row.runId === runId);
  const source = {
    threadId: rows[0]!.threadId,
    run: runId === null ? null : { id: runId, startAfter: first },
  };
  const text = speak(entry, source, positionAtStart(entry.binding.dialect, source), rows);
  const { frames, rest } = parseFrames(text);
  const events = runId === null ? rows : rows.filter((row) => row.runId === runId);
  return { entry, source, events, rows, frames, closing: rest };
}

function wholes(): Whole[] {
  return DIALECTS.flatMap((entry) =>
    logs.flatMap((rows) => {
      const ids = new Set(rows.flatMap(({ runId }) => runId ?? []));
      return entry.of === 'thread'
        ? [whole(entry, rows, null)]
        : [...ids].map((id) => whole(entry, rows, id));
    }),
  );
}

test('the generated logs are valid, and contain everything that can happen to a run', async () => {
  expect(await brokenInvariants(database.pool)).toEqual([]);
  const all = logs.flat();
  const types = new Set<EventType>(all.map(({ type }) => type));
  const wanted: EventType[] = [
    'state',
    'session',
    'rewound',
    'message',
    'message_start',
    'reasoning',
    'token',
    'message_end',
    'usage',
    'tool_start',
    'tool_end',
    'approval',
    'approval_end',
    'file_updated',
    'final',
    'error',
    'canceled',
    'titled',
  ];
  expect(wanted.filter((type) => !types.has(type))).toEqual([]);
  const has = (look: (event: StoredEvent) => boolean) => all.some(look);
  expect(
    has(({ type, data }) => type === 'state' && data.status === 'running' && data.supersedes !== undefined),
  ).toBe(true);
  expect(has(({ type, data }) => type === 'session' && data.to_state === 'paused')).toBe(true);
  expect(has(({ type, data }) => type === 'message' && data.steer === true)).toBe(true);
  expect(new Set(all.flatMap(({ type, data }) => (type === 'approval_end' ? [data.decision] : [])))).toEqual(
    new Set(['approve', 'edit', 'deny', 'expired', 'retry', 'skip']),
  );
  expect(
    new Set(all.flatMap(({ type, data }) => (type === 'tool_end' && data.outcome ? [data.outcome] : []))),
  ).toEqual(new Set(['unknown', 'canceled', 'denied']));
});

test('PLUS-1 no frame repeats, and nothing stays open', () => {
  const wrong = wholes().flatMap(({ entry, source, events, frames }) =>
    entry
      .check(frames, events)
      .map((problem) => `${entry.binding.dialect.name}, ${source.run?.id ?? source.threadId}: ${problem}`),
  );
  expect(wrong).toEqual([]);
});

test('PLUS-1 a log cut anywhere into two parts, in batches of any size, gives the frames of the whole', async () => {
  const all = wholes().filter(({ frames }) => frames.length > 1);
  expect(new Set(all.map(({ entry }) => entry)).size).toBe(DIALECTS.length);
  const cuts = all.flatMap((each) => each.frames.slice(0, -1).map((_, index) => ({ each, index })));
  expect(cuts.some(({ each, index }) => each.frames[index]!.id.includes('.'))).toBe(true);
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: cuts.length - 1 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 30 }),
      async (chosen, sizes) => {
        const { each, index } = cuts[chosen]!;
        const { entry, source, rows, frames, closing } = each;
        const from = await positionAt(pool, entry.binding.dialect, source, parseFrameId(frames[index]!.id)!);
        expect(from).not.toBeNull();
        expect(speak(entry, source, from!, rows, sizes)).toBe(
          frames
            .slice(index + 1)
            .map(({ raw }) => raw)
            .join('') + closing,
        );
      },
    ),
    { numRuns: 1500 },
  );
}, 120_000);

test('PLUS-1 where no run is open, a stream can begin without the events before', () => {
  for (const entry of DIALECTS.filter(({ of }) => of === 'thread')) {
    for (const rows of logs) {
      const { source, frames } = whole(entry, rows, null);
      const open = new Set<string>();
      rows.forEach((row, index) => {
        if (row.runId !== null) open.add(row.runId);
        const before = rows[index - 1];
        if (open.size === 0 && (before === undefined || before.runId === null)) {
          const from = { seq: row.seq - 1, state: entry.binding.dialect.initial, part: 0 };
          const after = frames.filter(({ id }) => Number(id.split('.')[0]) >= row.seq);
          expect(speak(entry, source, from, rows)).toBe(after.map(({ raw }) => raw).join(''));
        }
        if (row.type === 'state' && row.data.status !== 'running') open.delete(row.runId!);
      });
    }
  }
});

/** Each run's own events. */
function eachRun(): (readonly StoredEvent[])[] {
  return logs.flatMap((rows) => [
    ...Map.groupBy(
      rows.filter(({ runId }) => runId !== null),
      ({ runId }) => runId,
    ).values(),
  ]);
}

test('PLUS-1 the real clients accept every run, and end in the same state after its parts as after the whole', async () => {
  const warned = vi.spyOn(console, 'warn');
  let cuts = 0;
  for (const events of eachRun()) {
    const failure = events.find(({ type }) => type === 'error');
    const error = failure ? (failure.data as { error: string }).error : null;
    const final = events.flatMap(({ type, data }) => (type === 'final' ? [data.text] : []));

    const chat = await readAiSdk(responsesOf(aiSdk, events, 'whole'));
    expect(chat.error).toBe(error);
    const answered = responsesOf(aiSdk, events, 'cut');
    cuts += answered.length - 1;
    expect(await readAiSdk(answered)).toEqual(chat);
    const texts = chat.message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    if (final.length > 0 && final[0] !== '') expect(texts.at(-1)).toBe(final[0]);

    const whole = await runAgUi(QUESTION, responsesOf(AG_UI, events, 'whole'));
    expect(whole.error).toBe(error);
    const parts = await runAgUi(QUESTION, responsesOf(AG_UI, events, 'cut'));
    expect(parts.error).toBe(error);
    expect([parts.agent.messages, parts.agent.state]).toEqual([whole.agent.messages, whole.agent.state]);
    expect(parts.agent.pendingInterrupts).toEqual(whole.agent.pendingInterrupts);
    const said = whole.agent.messages.filter(({ role }) => role === 'assistant');
    if (final.length > 0 && final[0] !== '') expect(said.at(-1)!.content).toBe(final[0]);
  }
  expect(cuts).toBeGreaterThan(3);
  expect(warned.mock.calls).toEqual([]);
}, 120_000);
