// A span, and the ids of a run's spans. The ids follow from the ids of the runs, so every pod and every executor knows them
// without being told.

import { hash } from 'node:crypto';

type AttributeValue = string | number | boolean | readonly string[];

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  /** `client`: a call to another system. */
  readonly kind: 'internal' | 'client';
  /** In milliseconds. */
  readonly start: number;
  readonly end: number;
  /** Undefined values are left out. */
  readonly attributes: Readonly<Record<string, AttributeValue | undefined>>;
  /** Why it failed; null if it did not. */
  readonly failure: string | null;
}

/** A run of a trace. Children belong to the trace of the run that started the first of them. */
export interface TracedRun {
  readonly id: string;
  readonly root: string;
  readonly parent: string | null;
  readonly threadId: string;
  readonly workspaceId: string;
  readonly role: string;
  /** In milliseconds. */
  readonly queuedAt: number;
}

/** The id of the root run is the id of the trace. */
export function traceIdOf({ root }: Pick<TracedRun, 'root'>): string {
  return root.replaceAll('-', '');
}

/** `part` names the span within its run: `run` is the run itself. */
export function spanIdOf(run: string, part: string): string {
  return hash('sha256', `${run}/${part}`).slice(0, 16);
}

/** The header by which the spans of an executor become children of the span of an answer. */
export function traceparentOf(run: Pick<TracedRun, 'id' | 'root'>, message: string): string {
  return `00-${traceIdOf(run)}-${spanIdOf(run.id, message)}-01`;
}
