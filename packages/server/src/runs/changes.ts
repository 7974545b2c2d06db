// The row changes of runs that commit with events, and the changes that the run loop appends.

import type { ContextChange } from '../context/manifest.ts';
import type { ExecutorChange } from '../executors/changes.ts';
import type { ChangeKinds } from '../log/changes.ts';
import type { ThreadChange } from '../threads/changes.ts';

export type RunChange =
  | { kind: 'start'; event: number }
  | {
      kind: 'end';
      event: number;
      status: 'done' | 'error' | 'canceled';
      error?: unknown;
      usage?: unknown;
      cost?: number | null;
      /** How many steering messages the run took in. If it was sent more, the database refuses every end but `canceled`. */
      steers?: number;
      /** The run has pending approvals, which end with it. */
      asked?: boolean;
    }
  | {
      kind: 'approval';
      event: number;
      id: string;
      workspace: string;
      call: string;
      tool: string;
      subkind: string;
      input: unknown;
      paths: unknown;
      reason: string;
      expires_at: string | null;
    }
  /** Starts a child run on a thread of its own. */
  | {
      kind: 'spawn';
      event: number;
      child_thread: string;
      child_run: string;
      message: string;
      chat_title: string;
      role: string;
      model: string;
      content: unknown;
      limits: unknown;
      tools: unknown;
    }
  /** The log has the end of a child run. */
  | { kind: 'child_end'; event: number; child_run: string }
  /** A pause or a resume of the run reaches its open children. */
  | { kind: 'pause_children'; event: number; paused: boolean }
  /** What a model call has spent of its run's budget, instead of its reservation. */
  | { kind: 'spend'; event: number; reserved_for: string; tokens: number; cost: number | null }
  /** What the former owner of the run had reserved is free again. */
  | { kind: 'unreserve'; event: number }
  /** Releases the thread until `wake_at`, unless it has new facts. Always the last change of a pen. */
  | { kind: 'release'; event: number; wake_at: string | null };

export type LoopChange = RunChange | ThreadChange | ContextChange | ExecutorChange;

/** The database refused an append that was decided on facts that have changed since. The facts are read again. */
export class FactsChanged extends Error {}

/** A cancel of the run was accepted first, so the run can only end canceled. */
export class CancelWins extends FactsChanged {
  readonly code = 'cancel_wins';

  constructor() {
    super('the run was canceled');
  }
}

const refusal = () => new CancelWins();

export const RUN_CHANGES: ChangeKinds<RunChange> = {
  start: { refusal, opensRun: true },
  end: { refusal, json: ['error', 'usage'] },
  approval: { json: ['input', 'paths'], freeText: ['call', 'tool', 'reason'] },
  spawn: { json: ['content', 'limits', 'tools'], freeText: ['chat_title', 'role'] },
  child_end: {},
  pause_children: {},
  spend: {},
  unreserve: {},
  release: { releases: true },
};
