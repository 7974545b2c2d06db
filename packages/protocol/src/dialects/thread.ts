// The `thread` dialect: a whole log in its own words, one frame per event; each says where it stands and whose it is.

import type { LogEvent } from '../events.ts';
import type { Dialect } from './dialect.ts';
import { runs } from './runs.ts';

export const thread: Dialect<null> = { ...runs, name: 'thread' };

/** An event as the thread's stream and pages show it; its data is in there as it is stored, byte for byte. */
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
