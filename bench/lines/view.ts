// What screens pay for a log: the fold of 50,000 events into the chat as people see it, at once and with the older events last.

import { foldView, prependEvents, type ViewEvent } from '@continuo/protocol';
import { digits, median } from '../measure/numbers.ts';
import { judged, type Line } from './line.ts';
import { longRun } from './projection.ts';

const EVENTS = 50_000;
const PAGE = 1000;
const MOST_MICROSECONDS = 1;

export const view: Line = {
  key: 'view',
  measure: (stage) => {
    const log = longThread();
    const cold = microseconds(log.length, () => foldView(log).turns.length);
    const folded = rounds(stage.options.rounds, () =>
      microseconds(log.length, () => foldView(log).turns.length),
    );
    const backwards = rounds(stage.options.rounds, () => microseconds(log.length, () => fromTheEnd(log)));
    return [
      {
        key: 'view',
        line: `CPU of the fold that screens show per event, a thread of ${EVENTS} events`,
        target: `≤ ${MOST_MICROSECONDS} µs`,
        measured: `${digits(folded, 'µs')}; the first time ${digits(cold, 'µs')}; the end first, then pages of ${PAGE}: ${digits(backwards, 'µs')}`,
        verdict: judged(folded <= MOST_MICROSECONDS),
      },
    ];
  },
};

function rounds(count: number, measure: () => number): number {
  return median(Array.from({ length: count }, measure));
}

function fromTheEnd(log: readonly ViewEvent[]): number {
  const shown = foldView(log.slice(-PAGE));
  for (let end = log.length - PAGE; end > 0; end -= PAGE)
    prependEvents(shown, log.slice(Math.max(0, end - PAGE), end));
  return shown.turns.length;
}

function microseconds(events: number, work: () => number): number {
  const before = process.cpuUsage();
  if (work() < 2) throw new Error('the thread has next to no turns');
  const { user, system } = process.cpuUsage(before);
  return (user + system) / events;
}

function longThread(): ViewEvent[] {
  const run = longRun();
  return Array.from({ length: EVENTS }, (_, index): ViewEvent => {
    const { type, data, runSeq } = run[index % run.length]!;
    const run_id = `run${Math.floor(index / run.length)}`;
    return {
      type,
      data,
      seq: index + 1,
      run_id,
      run_seq: runSeq,
      at: '2026-01-01T00:00:00.000Z',
    } as ViewEvent;
  });
}
