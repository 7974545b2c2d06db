// What a speaker says of a batch: once for all who listen, from the middle of an event if need be, and with the dialect's own end.

import { expect, test } from 'vitest';
import type { Dialect, EventData, EventType } from '@continuo/protocol';
import {
  positionAtStart,
  DialectWriter,
  type DialectBinding,
} from '../../src/http/streams/dialect-stream.ts';
import type { StoredEvent } from '../../src/log/event.ts';
import { Batch } from '../../src/log/follow.ts';

/** Counts what it has seen; a token has three frames, the second of them progress. */
const counting: Dialect<number> = {
  name: 'counting',
  initial: 0,
  step: (state, { type, data }) => {
    if (type !== 'token') return [state + 1, []];
    const frames = [
      { data: { n: state } },
      { event: 'p', data: { n: state }, progress: 'p' },
      { event: 'own', data },
    ];
    return [state + 1, frames];
  },
};
const BINDING: DialectBinding<number> = { dialect: counting, closing: 'data: [DONE]\n\n' };
const RUN = { threadId: 't', run: { id: 'r', startAfter: 0 } };
const THREAD = { threadId: 't', run: null };

function event<T extends EventType>(seq: number, type: T, data: EventData[T], runId = 'r'): StoredEvent {
  const json = ` ${JSON.stringify(data)}`;
  return {
    threadId: 't',
    seq,
    runId,
    runSeq: seq - 1,
    attempt: 1,
    at: new Date(0),
    type,
    data,
    json,
  } as StoredEvent;
}
const token = (seq: number, runId?: string) => event(seq, 'token', { text: 'a', message: 'm1' }, runId);
const end = (seq: number, runId?: string) => event(seq, 'state', { status: 'done' }, runId);
const OWN = 'data:  {"text":"a","message":"m1"}\n\n';
const textOf = (said: { bytes: Buffer | null }) => said.bytes?.toString() ?? '';

test('frames are numbered within their event, and the event’s own data are the stored bytes', () => {
  const writer = new DialectWriter(BINDING, THREAD, positionAtStart(counting, THREAD));
  expect(textOf(writer.say(new Batch([token(7)]), false))).toBe(
    `id: 7.1\ndata: {"n":0}\n\nevent: p\nid: 7.2\ndata: {"n":0}\n\nevent: own\nid: 7\n${OWN}`,
  );
});

test('a run’s stream has its own numbers, no frames of other runs, and ends with its closing line', () => {
  const writer = new DialectWriter(BINDING, RUN, positionAtStart(counting, RUN));
  const rows = [token(2), token(3, 'other'), end(4, 'other'), token(5), end(6), token(7, 'other')];
  const said = writer.say(new Batch(rows), false);
  expect(textOf(said).match(/(?<=id: ).*/g)).toEqual(['1.1', '1.2', '1', '4.1', '4.2', '4']);
  expect(textOf(said)).toMatch(/\n\ndata: \[DONE\]\n\n$/);
  expect(said.ended).toBe(true);
});

test('a dialect may end its stream with a frame of its own', () => {
  const binding: DialectBinding<number> = {
    ...BINDING,
    ends: ({ event: name }, { seq }) => name === 'p' && seq === 2,
  };
  const writer = new DialectWriter(binding, THREAD, positionAtStart(counting, THREAD));
  const said = writer.say(new Batch([token(1), token(2), token(3)]), false);
  expect(textOf(said).match(/(?<=id: ).*/g)).toEqual(['1.1', '1.2', '1', '2.1', '2.2']);
  expect(said.ended).toBe(true);
});

test('readers at the same position get the same bytes, made once; a reader that has part of an event’s frames gets the rest', () => {
  const batch = new Batch([token(1), token(2)]);
  const [a, b] = [1, 2].map(() => new DialectWriter(BINDING, THREAD, positionAtStart(counting, THREAD)));
  const said = a!.say(batch, false);
  expect(b!.say(batch, false).bytes).toBe(said.bytes);
  const late = new DialectWriter(BINDING, THREAD, { seq: 0, state: 0, part: 2 });
  expect(textOf(late.say(batch, false))).toBe(textOf(said).slice(textOf(said).indexOf('event: own')));
  const next = new Batch([token(3)]);
  expect(textOf(late.say(next, false))).toBe(textOf(a!.say(next, false)));
});

test('CHAT-3 under pressure a batch has only the newest of each kind of progress', () => {
  const writer = new DialectWriter(BINDING, THREAD, positionAtStart(counting, THREAD));
  const said = textOf(writer.say(new Batch([token(1), token(2), token(3)]), true));
  expect(said.match(/(?<=id: ).*/g)).toEqual(['1.1', '1', '2.1', '2', '3.1', '3.2', '3']);
});
