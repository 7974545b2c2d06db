// Long loops let others have their turn.

import { expect, test } from 'vitest';
import type { Dialect, LogEvent } from '@continuo/protocol';
import { positionAt } from '../../src/http/streams/dialect-stream.ts';
import { foldInTurns } from '../../src/runs/loop/replay.ts';
import { ITEMS_PER_TURN, yieldWithAbortCheck } from '../../src/limits/yielding.ts';
import { openPen, token, useLog } from '../runs/support.ts';

const world = useLog();

test('CHAT-6 micro gives way to promises, fast to what is waiting, breath to timers', async () => {
  const order: string[] = [];
  const modes = ['breath', 'fast', 'micro'] as const;
  setTimeout(() => order.push('timer'), 0);
  await Promise.all(modes.map((mode) => yieldWithAbortCheck({ mode }).then(() => order.push(mode))));
  expect(order[0]).toBe('micro');
  expect(order.indexOf('timer')).toBeLessThan(order.indexOf('breath'));
  let promised = false;
  let immediate = false;
  void Promise.resolve().then(() => (promised = true));
  setImmediate(() => (immediate = true));
  await yieldWithAbortCheck({ mode: 'micro' });
  expect([promised, immediate]).toEqual([true, false]);
  await yieldWithAbortCheck({ mode: 'fast' });
  expect(immediate).toBe(true);
});

test('CHAT-6 it throws the abort reason, whether the abort comes before or meanwhile', async () => {
  for (const mode of ['breath', 'fast', 'micro'] as const) {
    const before = AbortSignal.abort(new Error('too late'));
    await expect(yieldWithAbortCheck({ mode, signal: before })).rejects.toThrow('too late');
    const meanwhile = new AbortController();
    const yielded = yieldWithAbortCheck({ mode, signal: meanwhile.signal });
    meanwhile.abort(new Error('stop it'));
    await expect(yielded).rejects.toThrow('stop it');
  }
});

/** Notes how many steps were made in each turn of the event loop. */
function counting(): { dialect: Dialect<number>; turns: number[]; end: () => void } {
  const turns: number[] = [0];
  let ended = false;
  const tick = () => {
    turns.push(0);
    if (!ended) setImmediate(tick);
  };
  setImmediate(tick);
  return {
    turns,
    dialect: {
      name: 'counting',
      initial: 0,
      step: (state) => {
        turns[turns.length - 1]! += 1;
        return [state + 1, []];
      },
    },
    end: () => void (ended = true),
  };
}

test('CHAT-6 a long log is folded a bounded number of events at a time, and an abort ends the fold', async () => {
  const threadId = await world.thread();
  const run = await world.run(threadId);
  const pen = openPen(world.writer(), threadId);
  const count = ITEMS_PER_TURN * 5 + 7;
  await pen.append(Array.from({ length: count }, (_, index) => token(run, `${index} `)));
  const written = (await world.log(threadId)).length;
  const source = { threadId, run: { id: run, startAfter: 0 } };

  const { dialect, turns, end } = counting();
  const position = await positionAt(world.pool, dialect, source, { at: written, part: null });
  end();
  expect(position).toEqual({ seq: written, state: written, part: 0 });
  expect(turns.reduce((sum, steps) => sum + steps)).toBe(written);
  expect(Math.max(...turns)).toBeLessThanOrEqual(ITEMS_PER_TURN);
  expect(written).toBeGreaterThan(ITEMS_PER_TURN * 2);

  const gone = AbortSignal.abort(new Error('gone'));
  const again = counting();
  await expect(
    positionAt(world.pool, again.dialect, source, { at: written, part: null }, gone),
  ).rejects.toThrow('gone');
  again.end();
  expect(again.turns.reduce((sum, steps) => sum + steps)).toBeLessThanOrEqual(ITEMS_PER_TURN);
});

test('CHAT-6 the fold of a long log yields to other work, and ends when its client disconnects', async () => {
  const { dialect, turns, end } = counting();
  const events = Array.from({ length: ITEMS_PER_TURN * 3 + 7 }, (_, index) => {
    const event = { threadId: 't', runId: null, runSeq: null, attempt: 1, at: new Date(0), seq: index + 1 };
    return Object.defineProperty(
      { ...event, data: { title: 'x' } },
      'type',
      // A fold looks at an event's type once or twice; once is counted.
      { get: once(() => dialect.step(0, null as never)) },
    ) as unknown as LogEvent;
  });
  expect((await foldInTurns(events)).seq).toBe(events.length);
  end();
  expect(Math.max(...turns)).toBeLessThanOrEqual(ITEMS_PER_TURN);
  expect(turns.reduce((sum, count) => sum + count, 0)).toBe(events.length);
  await expect(foldInTurns(events, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
});

function once(act: () => unknown): () => string {
  let done = false;
  return () => {
    if (!done) act();
    done = true;
    return 'titled';
  };
}
