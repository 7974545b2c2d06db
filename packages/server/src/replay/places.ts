// At which events of a log its projections are compared, and the runs in it.

import type { StoredEvent } from '../log/event.ts';

/** Whether a projection is compared after the event at this index. Every event is folded, compared or not. */
export type Compared = (index: number) => boolean;

export const afterEveryEvent: Compared = () => true;

/** At most this many events of a log, evenly spaced, the last one included: a whole comparison grows with the square of its length. */
const MOST_COMPARED = 200;

export function sampled(log: readonly unknown[]): Compared {
  const step = Math.max(1, Math.ceil(log.length / MOST_COMPARED));
  return (index) => (log.length - 1 - index) % step === 0;
}

/** In the order of their first events. */
export function runIdsIn(log: readonly StoredEvent[]): string[] {
  return [...new Set(log.flatMap(({ runId }) => (runId === null ? [] : [runId])))];
}
