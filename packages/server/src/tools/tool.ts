// A tool: its schema, its words, and the class of its effect, which says what a crash may do to it:
//
// - `transactional`: its rows and its `tool_end` commit together: exactly once.
// - `pure`: no lasting effect; may be repeated, and runs beside others of its kind.
// - `idempotent`: may be repeated with the same key.
// - `external`: anything else; started and unfinished at a crash, its outcome is unknown and it is not repeated.

import type { z } from 'zod';
import type { Queryable } from '../db/pool.ts';

interface CallContext {
  readonly workspaceId: string;
  readonly threadId: string;
  readonly runId: string;
  readonly callId: string;
  /** The same for every repetition of this call. */
  readonly key: string;
  /** Aborts when the call must end now: its grace after a cancel is over, or the thread is lost. */
  readonly signal: AbortSignal;
}

interface ToolBase<I> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<I>;
  /** The paths that the call touches; one that ends in a slash stands for all that is in that folder. */
  readonly paths?: (input: I) => readonly string[];
  /** What models are shown of the input, where that is not made from `input`: a JSON Schema. */
  readonly schema?: Readonly<Record<string, unknown>>;
}

export type Tool<I = never> =
  | (ToolBase<I> & {
      readonly effect: 'transactional';
      run(input: I, context: CallContext & { readonly sql: Queryable }): Promise<unknown>;
    })
  | (ToolBase<I> & {
      readonly effect: 'pure' | 'idempotent' | 'external';
      run(input: I, context: CallContext): Promise<unknown>;
    });

/** A failure that the model can act on; its message is the tool's result. */
export class ToolFailure extends Error {
  readonly code = 'tool_failure';
}

/** The call was made, and nobody can tell whether it took effect. It is not repeated; the model is told. */
export class OutcomeUnknown extends Error {
  readonly code = 'outcome_unknown';
}
