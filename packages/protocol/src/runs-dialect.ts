// The `runs` dialect: one frame per event of a run, in the run contract's own words.

import type { LogEvent } from './events.ts';

/** LF only, an id on every event, JSON on one line. `json` is the event's data as it is stored. */
export function frame(event: LogEvent & { readonly json: string }): string {
  return `event: ${event.type}\nid: ${event.runSeq}\ndata: ${event.json}\n\n`;
}

export const PING = ': ping\n';
