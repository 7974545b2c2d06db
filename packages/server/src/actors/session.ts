// The session state machine: one actor's life on a thread, as people see it. A pure table; every transition that is not in
// it is refused with an explanation. Error, cancelled and completed are final: a later message starts a new session.

import type { SessionState } from '@continuo/protocol';

export type SessionInput = 'start' | 'finish' | 'fail' | 'pause' | 'resume' | 'stop' | 'expire' | 'complete';

const TRANSITIONS: Readonly<Record<SessionState, Readonly<Partial<Record<SessionInput, SessionState>>>>> = {
  idle: { start: 'running', stop: 'cancelled', expire: 'completed' },
  running: { finish: 'idle', complete: 'completed', fail: 'error', pause: 'paused', stop: 'cancelled' },
  paused: { resume: 'running', stop: 'cancelled' },
  error: {},
  cancelled: {},
  completed: {},
};

export type Transition = { ok: true; state: SessionState } | { ok: false; problem: string };

export function transition(state: SessionState, input: SessionInput): Transition {
  const next = TRANSITIONS[state][input];
  if (next) return { ok: true, state: next };
  const allowed = Object.keys(TRANSITIONS[state]);
  const hint =
    allowed.length > 0
      ? `; allowed: ${allowed.join(', ')}`
      : ': it has ended; a new message starts a new session';
  return { ok: false, problem: `a session that is ${state} cannot ${input}${hint}` };
}

export function isEnded(state: SessionState): boolean {
  return Object.keys(TRANSITIONS[state]).length === 0;
}
