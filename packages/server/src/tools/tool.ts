// A tool: its schema, its words, and the class of its effect, which says what a crash may do to it:
//
// - `transactional`: its rows and its `tool_end` commit together: exactly once.
// - `pure`: no lasting effect; may be repeated, and runs beside others of its kind.
// - `idempotent`: may be repeated with the same key.
// - `external`: anything else; started and unfinished at a crash, its outcome is unknown and it is not repeated.

import type { z } from 'zod';
import type { ImageReference, NewEvent } from '@continuo/protocol';
import type { Queryable } from '../db/pool.ts';

export interface CallContext {
  readonly workspaceId: string;
  readonly threadId: string;
  readonly runId: string;
  readonly callId: string;
  /** The same for every repetition of this call. */
  readonly key: string;
  /** Aborts when the call must end now: its grace after a cancel is over, or the thread is lost. */
  readonly signal: AbortSignal;
  /** The output was made from this file: it is one of the answer's sources. */
  used(fileId: string): void;
  /** The version of a file that the thread read or wrote last; null if it did neither. */
  known(fileId: string): number | null;
  /** From here on the thread knows this version. */
  learned(fileId: string, version: number): void;
  /** Shows an image with the output, to models that see. */
  show(image: ImageReference): void;
}

/** What a call asks a person while it is being made, and a flat JSON schema of the answer. */
export interface Question {
  readonly text: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** `canceled`: nobody answered, and nobody will. */
export type Answer =
  | { readonly kind: 'answered'; readonly content: Readonly<Record<string, unknown>> }
  | { readonly kind: 'declined' | 'dismissed' | 'canceled' };

/** Of a call that runs outside of a transaction. */
export interface LiveCallContext extends CallContext {
  /** Asks a person, one question at a time. Rejects when the pod stops: the call is left as a crash would leave it. */
  ask(question: Question): Promise<Answer>;
}

export interface TransactionContext<P = undefined> extends CallContext {
  readonly sql: Queryable;
  readonly prepared: P;
  /** An event that commits with the call's end, before it in the log. */
  emit(event: NewEvent): void;
  /** Work that is done after the commit, before the run goes on. A crash in between loses it. */
  afterCommit(work: () => Promise<void>): void;
}

interface ToolBase<I> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<I>;
  /** What the call does, in words for people: "Writes /notes/haiku.md". */
  words?(input: I): string;
  /** What later runs are shown instead of the output; by default its first lines. */
  summary?(output: Readonly<Record<string, unknown>>, input: I): string;
  /** The paths that the call touches; one that ends in a slash stands for all that is in that folder. */
  readonly paths?: (input: I) => readonly string[];
  /** The work is done by another process or machine: it takes none of the pod's places for pure calls. */
  readonly elsewhere?: true;
  /** What models are shown of the input, where that is not made from `input`: a JSON Schema. */
  readonly schema?: Readonly<Record<string, unknown>>;
}

export type Tool<I = never, P = undefined> =
  | (ToolBase<I> & {
      readonly effect: 'transactional';
      /** Slow work that comes before the transaction, such as storing content; repeated after `Stale`. */
      prepare?(input: I, context: CallContext): Promise<P>;
      run(input: I, context: TransactionContext<P>): Promise<unknown>;
    })
  | (ToolBase<I> & {
      readonly effect: 'pure' | 'idempotent' | 'external';
      run(input: I, context: LiveCallContext): Promise<unknown>;
    });

/** What was prepared does not hold any more: somebody else was faster. */
export class Stale extends Error {
  readonly code = 'stale';
}

/** A failure that the model can act on; its message is the tool's result. */
export class ToolFailure extends Error {
  readonly code = 'tool_failure';
}

/** Absolute paths, also as file URLs; what follows a host in another URL is none. */
const ABSOLUTE_PATH = /(?<![\w.:/])(?:file:\/\/)?\/[^\s'"`<>|:;,()]+|\b[A-Za-z]:\\[^\s'"`<>|;,()]+/g;
const HIDDEN = '[a path of the server]';

/**
 * What a model is told of an error. A failure of a tool speaks of the workspace's paths; in anything else a path is one of the
 * server's disk, which is none of the model's business.
 */
export function errorForModels(error: unknown): string {
  if (error instanceof ToolFailure || error instanceof OutcomeUnknown) return error.message;
  let text = error instanceof Error ? error.message : String(error);
  const { path, dest } = (error ?? {}) as { path?: unknown; dest?: unknown };
  // As a whole first: a path may have spaces in it.
  for (const each of [path, dest])
    if (typeof each === 'string' && each !== '') text = text.replaceAll(each, HIDDEN);
  return text.replaceAll(ABSOLUTE_PATH, HIDDEN);
}

/** The call was made, and nobody can tell whether it took effect. It is not repeated; the model is told. */
export class OutcomeUnknown extends Error {
  readonly code = 'outcome_unknown';
}
