// Arbitrary streams, well formed and not, for the property tests.

import fc from 'fast-check';
import type { StopReason, StreamEvent } from '@continuo/engine';
import type { Script } from './play.ts';

type Timeless = StreamEvent extends infer Event
  ? Event extends StreamEvent
    ? Omit<Event, 'at'>
    : never
  : never;

const delta = fc.oneof(
  { weight: 3, arbitrary: fc.string({ maxLength: 6 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom('', '{', '}', '"key"', ':', '1', 'null', ' ') },
);
const deltas = fc.array(delta, { maxLength: 5 });
const metadata = fc.constantFrom(undefined, { signature: 'abc' });
const usage = fc.record({ input: fc.nat(1000), output: fc.nat(1000) });
const reason: fc.Arbitrary<StopReason> = fc.constantFrom('end', 'tool_use', 'length', 'filtered', 'other');

const prose = (kind: 'text' | 'reasoning') =>
  fc
    .tuple(deltas, metadata)
    .map(([texts, extra]): Timeless[] => [
      { type: `${kind}_block_start` },
      ...texts.map((text): Timeless => ({ type: `${kind}_delta`, text })),
      { type: `${kind}_block_stop`, ...(extra === undefined ? {} : { metadata: extra }) },
    ]);

/** Calls whose inputs are written at the same time, in any order. */
const calls = fc
  .tuple(fc.array(deltas, { minLength: 1, maxLength: 3 }), fc.array(fc.nat(2), { maxLength: 10 }))
  .map(([inputs, order]): Timeless[] => {
    const queues = inputs.map((texts, index) => callOf(`call-${index}`, texts));
    const mixed = order.flatMap((index) => queues[index % queues.length]!.splice(0, 1));
    return [...mixed, ...queues.flat()];
  });

function callOf(callId: string, texts: readonly string[]): Timeless[] {
  return [
    { type: 'tool_input_start', callId, tool: 'search' },
    ...texts.map((text): Timeless => ({ type: 'tool_input_delta', callId, text })),
    { type: 'tool_input_stop', callId },
  ];
}

const blocks = fc.array(fc.oneof(prose('text'), prose('reasoning'), calls), { maxLength: 5 });

export const wellFormed: fc.Arbitrary<StreamEvent[]> = fc
  .tuple(blocks, reason, usage)
  .map(([parts, why, tokens]) =>
    timed([
      { type: 'message_start', messageId: 'message-1', model: 'small' },
      ...parts.flatMap((part, index) => part.map((event) => distinct(event, index))),
      { type: 'message_stop', reason: why, usage: tokens },
    ]),
  );

/** A call's id must not be used again in a later block. */
function distinct(event: Timeless, index: number): Timeless {
  return 'callId' in event ? { ...event, callId: `${event.callId}-of-${index}` } : event;
}

function timed(events: readonly Timeless[]): StreamEvent[] {
  return events.map((event, index) => ({ ...event, at: 100 + index * 10 }));
}

const callId = fc.constantFrom('a', 'b');
const anyEvent: fc.Arbitrary<StreamEvent> = fc
  .tuple(
    fc.oneof(
      fc.record({ type: fc.constant('message_start' as const), messageId: fc.constantFrom('one', 'two') }),
      fc.constantFrom<Timeless>({ type: 'text_block_start' }, { type: 'reasoning_block_start' }),
      fc.record({ type: fc.constantFrom('text_delta' as const, 'reasoning_delta' as const), text: delta }),
      fc.constantFrom<Timeless>(
        { type: 'text_block_stop' },
        { type: 'reasoning_block_stop', metadata: { signature: 'abc' } },
      ),
      fc.record({ type: fc.constant('tool_input_start' as const), callId, tool: fc.constantFrom('x', 'y') }),
      fc.record({ type: fc.constant('tool_input_delta' as const), callId, text: delta }),
      fc.record({ type: fc.constant('tool_input_stop' as const), callId }),
      fc.record({
        type: fc.constant('tool_result' as const),
        callId,
        tool: fc.constant('x'),
        output: fc.constant({ found: 1 }),
      }),
      fc.oneof(
        fc.record({ type: fc.constant('message_stop' as const), reason, usage }),
        fc.constantFrom<Timeless>(
          { type: 'stream_error', code: 'overloaded', message: 'try later' },
          { type: 'stream_interrupted', reason: 'user' },
        ),
      ),
    ),
    fc.nat(1000),
  )
  .map(([event, at]) => ({ ...event, at }));

type Edit = { readonly kind: 'drop' | 'repeat' | 'swap' | 'cut'; readonly at: number; readonly to: number };

const edits: fc.Arbitrary<Edit[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('drop' as const, 'repeat' as const, 'swap' as const, 'cut' as const),
    at: fc.nat(40),
    to: fc.nat(40),
  }),
  { minLength: 1, maxLength: 8 },
);

function edited(events: readonly StreamEvent[], edit: Edit): readonly StreamEvent[] {
  if (events.length === 0) return events;
  const at = edit.at % events.length;
  const to = edit.to % events.length;
  if (edit.kind === 'drop') return events.toSpliced(at, 1);
  if (edit.kind === 'repeat') return events.toSpliced(to, 0, events[at]!);
  if (edit.kind === 'swap') return events.with(at, events[to]!).with(to, events[at]!);
  return events.slice(0, at);
}

/** Arbitrary events, and well-formed streams that were shuffled, cut, or had events lost or duplicated. */
export const malformed: fc.Arbitrary<Script> = fc
  .tuple(
    fc.oneof(
      fc.array(anyEvent, { maxLength: 14 }),
      fc.tuple(wellFormed, edits).map(([events, changes]) => changes.reduce(edited, events)),
      wellFormed.chain((events) => fc.shuffledSubarray(events)),
    ),
    fc.constantFrom('ends', 'ends', 'throws'),
  )
  .map(([events, how]) => (how === 'throws' ? { events, thrown: new Error('socket hang up') } : { events }));

/** The same stream with its deltas split differently; a piece may be empty. */
export function resplit(events: readonly StreamEvent[], cuts: readonly number[]): StreamEvent[] {
  let used = 0;
  const cut = () => cuts[used++ % cuts.length]!;
  return events.flatMap((event) => {
    if (
      event.type !== 'text_delta' &&
      event.type !== 'reasoning_delta' &&
      event.type !== 'tool_input_delta'
    ) {
      return [event];
    }
    const pieces: StreamEvent[] = [];
    for (let rest = event.text, count = cut(); ; count -= 1) {
      const length = count === 0 ? rest.length : cut() % (rest.length + 1);
      pieces.push({ ...event, text: rest.slice(0, length) });
      rest = rest.slice(length);
      if (count === 0) return pieces;
    }
  });
}
