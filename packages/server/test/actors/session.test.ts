// The session machine: every state, every input.

import { expect, test } from 'vitest';
import type { SessionState } from '@continuo/protocol';
import { isEnded, transition, type SessionInput } from '../../src/actors/session.ts';

const STATES: SessionState[] = ['idle', 'running', 'paused', 'error', 'cancelled', 'completed'];
const INPUTS: SessionInput[] = ['start', 'finish', 'fail', 'pause', 'resume', 'stop', 'expire'];

/** All that is allowed; everything else is refused. */
const ALLOWED: Record<string, SessionState> = {
  'idle start': 'running',
  'idle stop': 'cancelled',
  'idle expire': 'completed',
  'running finish': 'idle',
  'running fail': 'error',
  'running pause': 'paused',
  'running stop': 'cancelled',
  'paused resume': 'running',
  'paused stop': 'cancelled',
};

const every = STATES.flatMap((state) => INPUTS.map((input) => [state, input] as const));

test.each(every)('WS-6 a session that is %s: %s', (state, input) => {
  const expected = ALLOWED[`${state} ${input}`];
  const result = transition(state, input);
  if (expected) return expect(result).toEqual({ ok: true, state: expected });
  expect(result).toEqual({
    ok: false,
    problem: expect.stringContaining(`a session that is ${state} cannot ${input}`),
  });
});

test('WS-6 a refusal names what is allowed, or how to go on', () => {
  for (const [state, input] of every) {
    const result = transition(state, input);
    if (result.ok) continue;
    const allowed = INPUTS.filter((each) => ALLOWED[`${state} ${each}`]);
    for (const each of allowed) expect(result.problem).toContain(each);
    if (allowed.length === 0) expect(result.problem).toContain('a new message starts a new session');
  }
});

test('WS-6 error, cancelled and completed are ends, and only they', () => {
  expect(STATES.filter(isEnded)).toEqual(['error', 'cancelled', 'completed']);
});

test('WS-6 only idle times out', () => {
  expect(STATES.filter((state) => transition(state, 'expire').ok)).toEqual(['idle']);
});
