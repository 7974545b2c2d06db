// A thread's state that a pod kept: it stands for the log where it reaches its end, and only there.

import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { EMPTY, type ThreadState } from '../../src/threads/fold.ts';
import { ThreadStateCache } from '../../src/runs/loop/thread-state-cache.ts';

function said(seq: number, content = 'hello'): ThreadState {
  return { ...EMPTY, seq, history: [{ runId: uuidv7(), seq, entry: { role: 'user', id: 'm', content } }] };
}

test('a cached state is returned if its seq is the end of the log, and is removed from the cache', () => {
  const states = new ThreadStateCache();
  const state = said(3);
  states.keep('a', { state, snapshotSeq: 2 });
  expect(states.take('a', 3)).toMatchObject({ state, snapshotSeq: 2 });
  expect(states.take('a', 3)).toBeNull();
});

test('a state is of no use once another pod has written', () => {
  const states = new ThreadStateCache();
  states.keep('a', { state: said(3), snapshotSeq: 0 });
  expect(states.take('a', 4)).toBeNull();
  expect(states.take('a', 3)).toBeNull();
});

test('of many threads the oldest is forgotten', () => {
  const states = new ThreadStateCache();
  for (let thread = 0; thread <= 500; thread += 1)
    states.keep(String(thread), { state: said(1), snapshotSeq: 0 });
  expect(states.take('0', 1)).toBeNull();
  expect(states.take('1', 1)).not.toBeNull();
});

test('of long histories fewer are kept', () => {
  const states = new ThreadStateCache();
  const tokens = (count: number) => 'word'.repeat(count);
  for (let thread = 0; thread < 21; thread += 1)
    states.keep(String(thread), { state: said(1, tokens(200_000)), snapshotSeq: 0 });
  expect(states.take('1', 1)).toBeNull();
  expect(states.take('20', 1)).not.toBeNull();
});
