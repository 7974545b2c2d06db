// A tool: its schema, its descriptions, and the class of its effect, which says what happens after a crash:
//
// - `transactional`: its rows and its `tool_end` commit together, so it happens exactly once.
// - `pure`: no lasting effect; may be repeated, and runs in parallel with other pure calls.
// - `idempotent`: may be repeated with the same key.
// - `external`: anything else. If a crash interrupts the call, its outcome is unknown and it is not repeated.

import type { z } from 'zod';
import type { EventData, ImageReference, NewEvent } from '@continuo/protocol';
import type { Queryable } from '../db/pool.ts';
import type { StoredPrincipal } from '../identity/principal.ts';

export interface CallContext {
  readonly workspaceId: string;
  readonly threadId: string;
  readonly runId: string;
  readonly callId: string;
  /** On whose behalf the run acts: who sent the message that queued it, or asked for the retry. */
  readonly principal: StoredPrincipal;
  /** The idempotency key: the same for every repetition of this call. */
  readonly key: string;
  /** Aborts when the call must end now: its grace period after a cancel is over, or this pod no longer owns the thread. */
  readonly signal: AbortSignal;
  /** Records that the output uses this file, which becomes one of the answer's sources. */
  used(fileId: string): void;
  /** The version of a file that the thread last read or wrote; null if it did neither. */
  known(fileId: string): number | null;
  /** Records that the thread now knows this version. */
  learned(fileId: string, version: number): void;
  /** The value of a secret of the workspace; a failure says that there is none. The value is removed from the call's output. */
  secret(name: string): Promise<string>;
  /** Shows an image with the output, to models that accept images. */
  show(image: ImageReference): void;
}

/** A question to a person during a call, with a flat JSON Schema of the answer. */
export interface Question {
  readonly text: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** `canceled`: the question was withdrawn before anyone answered. */
export type Answer =
  | { readonly kind: 'answered'; readonly content: Readonly<Record<string, unknown>> }
  | { readonly kind: 'declined' | 'dismissed' | 'canceled' };

/** The context of a call that runs outside a transaction. */
export interface LiveCallContext extends CallContext {
  /** Asks a person, one question at a time. Rejects when the pod stops; the call is then left as after a crash. */
  ask(question: Question): Promise<Answer>;
}

export interface TransactionContext<P = undefined> extends CallContext {
  readonly sql: Queryable;
  readonly prepared: P;
  /** Adds an event that commits with the call's end, before it in the log. */
  emit(event: NewEvent): void;
  /** Runs work after the commit, before the run continues. A crash in between loses it. */
  afterCommit(work: () => Promise<void>): void;
}

/** What a call does to entities, in words for people. `entity_name` is never an id. */
export type EntityOperation = Omit<EventData['operation'], 'status' | 'call'>;

interface ToolBase<I> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<I>;
  /** What the call does, for people: "Writes /notes/haiku.md". */
  words?(input: I): string;
  /** What later runs see instead of the output; by default its first lines. */
  summary?(output: Readonly<Record<string, unknown>>, input: I): string;
  /** The paths that the call touches; a trailing slash means everything in that folder. */
  readonly paths?: (
    input: I,
    context: Pick<CallContext, 'workspaceId'>,
  ) => readonly string[] | Promise<readonly string[]>;
  /** The file tool that this tool is like: rules about that tool apply to this one, too. */
  readonly like?: string;
  /** Roles that list no tools have this one only in a project's threads. */
  readonly inProjects?: true;
  /** Roles that list no tools do not have this one. */
  readonly onlyListed?: true;
  /**
   * What the call does to entities. Asked before the call starts, when the names may have to be looked up, and again with its
   * output. Null if it does nothing to entities.
   */
  operation?(
    input: I,
    context: Pick<CallContext, 'workspaceId'>,
    output?: Readonly<Record<string, unknown>>,
  ): Promise<EntityOperation | null>;
  /** In a project's thread, the first of the modes clarify, inform and act in which it is offered; default: clarify. */
  readonly offeredFrom?: 'inform' | 'act';
  /**
   * Its results are untrusted content: models see them with a mark, and policies can tell runs that have read them. A function
   * decides from the output of a call that succeeded.
   */
  readonly untrusted?: true | ((output: Readonly<Record<string, unknown>>) => boolean);
  /** Another process or machine does the work, so the call does not count towards the pod's limit of pure calls. */
  readonly elsewhere?: true;
  /** How long a call may continue after its run was canceled; by default, as long as the server lets any call. */
  readonly graceMs?: number;
  /** The tool that makes this call instead, where the input decides about the effect class. */
  readonly variant?: (input: I) => Tool<I> | null;
  /** The JSON Schema that models see, if it is not derived from `input`. */
  readonly schema?: Readonly<Record<string, unknown>>;
}

export type Tool<I = never, P = undefined> =
  | (ToolBase<I> & {
      readonly effect: 'transactional';
      /** Slow work before the transaction, such as storing content; repeated after `Stale`. */
      prepare?(input: I, context: CallContext): Promise<P>;
      run(input: I, context: TransactionContext<P>): Promise<unknown>;
    })
  | (ToolBase<I> & {
      readonly effect: 'pure' | 'idempotent' | 'external';
      /** Fails with a `ToolFailure` if the call cannot be made, before a person is asked about it and before it starts its effect. */
      check?(input: I, context: Omit<CallContext, 'used' | 'learned' | 'show'>): void | Promise<void>;
      run(input: I, context: LiveCallContext): Promise<unknown>;
    });

/** The prepared work is out of date because of a concurrent change. */
export class Stale extends Error {
  readonly code = 'stale';
}

/** A failure that the model can act on; its message is the tool's result. */
export class ToolFailure extends Error {
  readonly code = 'tool_failure';
}

/** Absolute paths, also in file URLs, but not the path of another URL. */
const ABSOLUTE_PATH = /(?<![\w.:/])(?:file:\/\/)?\/[^\s'"`<>|:;,()]+|\b[A-Za-z]:\\[^\s'"`<>|;,()]+/g;
const HIDDEN = '[a path of the server]';

/**
 * The error message that a model sees. A ToolFailure names paths of the workspace. In any other error a path is one of the
 * server's disk, which models must not see.
 */
export function errorForModels(error: unknown): string {
  if (error instanceof ToolFailure || error instanceof OutcomeUnknown) return error.message;
  let text = error instanceof Error ? error.message : String(error);
  const { path, dest } = (error ?? {}) as { path?: unknown; dest?: unknown };
  // Replaces these paths as a whole first, because they may contain spaces.
  for (const each of [path, dest])
    if (typeof each === 'string' && each !== '') text = text.replaceAll(each, HIDDEN);
  return text.replaceAll(ABSOLUTE_PATH, HIDDEN);
}

/** The call was made, but it is unknown whether it took effect. It is not repeated, and the model is informed. */
export class OutcomeUnknown extends Error {
  readonly code = 'outcome_unknown';
}
