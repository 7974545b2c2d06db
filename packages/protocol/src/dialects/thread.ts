// The `thread` dialect: a whole log, one frame per event, each with its seq and its run.

import type { LogEvent } from '../events.ts';
import type { Dialect } from './dialect.ts';
import { runs } from './runs.ts';

export const thread: Dialect<null> = { ...runs, name: 'thread' };

/** An event as the thread's stream and pages show it; its data is included byte for byte as stored. */
export function threadEventJson({
  seq,
  runId,
  runSeq,
  type,
  json,
  at,
}: LogEvent & { readonly json: string }): string {
  const run = runId === null ? 'null' : `"${runId}"`;
  return `{"seq":${seq},"run_id":${run},"run_seq":${runSeq},"type":"${type}","data":${json},"at":"${at.toISOString()}"}`;
}
