// The state that AG-UI clients share with a run: a small object, folded from the log. A client gets a snapshot when a response
// begins, then patches (RFC 6902).

import type { Usage } from '@continuo/engine';
import type { EventData, SessionState } from '../events.ts';
import type { ResponseCalls } from './calls.ts';
import type { DialectFrame } from './dialect.ts';

export interface SharedState {
  /** The server's id of the run, whatever id the client uses. */
  readonly run: string;
  /** `waiting`: people must answer before anything else can happen. */
  readonly status: 'running' | 'paused' | 'waiting' | 'done' | 'error' | 'canceled';
  /** How many pods have held the run. */
  readonly attempt: number;
  /** The file changes of its calls, in order. */
  readonly files: readonly Omit<EventData['file_updated'], 'call'>[];
  readonly usage: Usage;
  /** US dollars, for calls with a known price; absent until there is one. */
  readonly cost?: number;
}

export function sharedAtFirst(run: string): SharedState {
  return { run, status: 'running', attempt: 1, files: [], usage: { input: 0, output: 0 } };
}

export type Shared = readonly [SharedState, readonly DialectFrame[]];

/** Applies a change to the state; also returns the patch, or none if nothing changed. */
export function withShared(state: SharedState, change: Partial<SharedState>): Shared {
  const keys = (Object.keys(change) as (keyof SharedState)[]).filter((key) => change[key] !== state[key]);
  if (keys.length === 0) return [state, []];
  const delta = keys.map((key) => ({ op: 'add', path: `/${key}`, value: change[key] }));
  return [{ ...state, ...change }, [{ data: { type: 'STATE_DELTA', delta } }]];
}

export function withFile(state: SharedState, { call: _, ...file }: EventData['file_updated']): Shared {
  const delta = [{ op: 'add', path: '/files/-', value: file }];
  return [{ ...state, files: [...state.files, file] }, [{ data: { type: 'STATE_DELTA', delta } }]];
}

export function statusOf({ wait }: ResponseCalls, session: SessionState): SharedState['status'] {
  if (session === 'paused') return 'paused';
  return wait ? 'waiting' : 'running';
}
