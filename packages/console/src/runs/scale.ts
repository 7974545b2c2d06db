// Maps times to positions on the timeline. Long waits are shortened, so that the work remains visible.

import type { Span } from './spans.ts';

export interface Scale {
  /** Milliseconds from the first start to the last end. */
  readonly lasted: number;
  /** When it begins, in milliseconds since 1970. */
  readonly start: number;
  /** From 0 to 1. */
  readonly place: (time: number) => number;
  /** The shortened waits: their position, and their real duration. */
  readonly cuts: readonly { readonly from: number; readonly to: number; readonly lasted: number }[];
}

/** A wait longer than a second and than this share of the run's work is drawn with this share. */
const SHARE = 0.25;
const LONG_MS = 1000;

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly worked: boolean;
}

export function scaleOf(spans: readonly Span[], now: number): Scale {
  const stretches = stretchesOf(spans, now);
  const worked = stretches.reduce((sum, each) => (each.worked ? sum + each.to - each.from : sum), 0);
  const most = worked * SHARE;
  const isLong = (lasted: number) => worked > 0 && lasted > Math.max(LONG_MS, most);
  let end = 0;
  const drawn = stretches.map(({ from, to, worked: did }) => {
    const start = end;
    const cut = !did && isLong(to - from);
    end += cut ? most : to - from;
    return { from, to, start, end, cut };
  });
  const width = Math.max(end, 1);
  const place = (time: number) => {
    const at = drawn.find(({ to }) => time <= to) ?? drawn.at(-1);
    if (!at || at.to === at.from) return (at?.start ?? 0) / width;
    const part = Math.min(1, Math.max(0, (time - at.from) / (at.to - at.from)));
    return (at.start + part * (at.end - at.start)) / width;
  };
  return {
    start: stretches[0]?.from ?? 0,
    lasted: (stretches.at(-1)?.to ?? 0) - (stretches[0]?.from ?? 0),
    place,
    cuts: drawn.flatMap((each) =>
      each.cut ? [{ from: each.start / width, to: each.end / width, lasted: each.to - each.from }] : [],
    ),
  };
}

/** The whole duration, split where work starts or ends. */
function stretchesOf(spans: readonly Span[], now: number): Stretch[] {
  const times = spans.flatMap(({ from, to }) => [from, to ?? now]).toSorted((one, other) => one - other);
  const work = spans.filter(({ kind }) => kind !== 'wait');
  const stretches: Stretch[] = [];
  for (const [index, to] of times.entries()) {
    const from = times[index - 1] ?? to;
    if (from === to) continue;
    const worked = work.some((span) => span.from <= from && (span.to ?? now) >= to);
    const last = stretches.at(-1);
    if (last?.worked === worked) stretches[stretches.length - 1] = { ...last, to };
    else stretches.push({ from, to, worked });
  }
  return stretches;
}

export interface Tick {
  /** Milliseconds from the start. */
  readonly after: number;
  /** From 0 to 1. */
  readonly place: number;
}

/** Round durations of the time axis, and how far apart they are drawn at least. */
const UNITS = [1, 60, 3600].flatMap((unit) => [1, 2, 5, 10, 15, 30].map((count) => count * unit * 1000));
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, ...UNITS];
const MOST_TICKS = 8;
const APART = 0.1;

/** The ticks of the time axis. Those within a shortened wait would be too close to each other, and are left out. */
export function ticksOf({ lasted, start, place }: Scale): Tick[] {
  const step = STEPS.find((each) => lasted / each <= MOST_TICKS) ?? lasted / MOST_TICKS;
  const ticks: Tick[] = [];
  for (let after = 0; after <= lasted; after += Math.max(step, 1)) {
    const tick = { after, place: place(start + after) };
    const last = ticks.at(-1);
    if (!last || tick.place - last.place >= APART) ticks.push(tick);
  }
  return ticks;
}
