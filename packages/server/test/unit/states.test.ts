// A thread's state that a pod kept: it stands for the log where it reaches its end, and only there.

import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { EMPTY, type ThreadState } from '../../src/runs/fold.ts';
import { States } from '../../src/runs/states.ts';

function said(seq: number, content = 'hello'): ThreadState {
  return { ...EMPTY, seq, history: [{ runId: uuidv7(), seq, entry: { role: 'user', id: 'm', content } }] };
}

test('a state is given where the log ends there, and is not kept twice', () => {
  const states = new States();
  const state = said(3);
  states.keep('a', state);
  expect(states.take('a', 3)).toBe(state);
  expect(states.take('a', 3)).toBeNull();
});

test('a state is of no use once another pod has written', () => {
  const states = new States();
  states.keep('a', said(3));
  expect(states.take('a', 4)).toBeNull();
  expect(states.take('a', 3)).toBeNull();
});

test('of many threads the oldest is forgotten', () => {
  const states = new States();
  for (let thread = 0; thread <= 500; thread += 1) states.keep(String(thread), said(1));
  expect(states.take('0', 1)).toBeNull();
  expect(states.take('1', 1)).not.toBeNull();
});

test('of long histories fewer are kept, and of one that is too long none', () => {
  const states = new States();
  const tokens = (count: number) => 'word'.repeat(count);
  states.keep('too long', said(1, tokens(250_001)));
  expect(states.take('too long', 1)).toBeNull();
  for (let thread = 0; thread < 21; thread += 1) states.keep(String(thread), said(1, tokens(200_000)));
  expect(states.take('1', 1)).toBeNull();
  expect(states.take('20', 1)).not.toBeNull();
});
