// A timeline shows what a run did, however long it waited.

import { expect, test } from 'vitest';
import { scaleOf, ticksOf } from '../src/runs/scale.ts';
import type { Span } from '../src/runs/spans.ts';

const span = (kind: Span['kind'], from: number, to: number | null): Span => ({
  key: `${kind}${from}`,
  kind,
  part: kind === 'model' ? 'Model' : kind === 'tool' ? 'Tool' : 'Queue',
  label: '',
  from,
  to,
  seq: 0,
  problem: null,
  note: null,
});

test('without long waits, positions are proportional to times', () => {
  const { place, cuts, lasted } = scaleOf([span('wait', 0, 500), span('model', 500, 4000)], 9000);
  expect([0, 500, 2000, 4000].map(place)).toEqual([0, 0.125, 0.5, 1]);
  expect(cuts).toEqual([]);
  expect(lasted).toBe(4000);
});

test('a long wait is shortened to a quarter of the work, and listed in `cuts`', () => {
  const minutes = 7 * 60_000;
  const spans = [
    span('model', 0, 6000),
    span('wait', 6000, 6000 + minutes),
    span('tool', 6000 + minutes, 8000 + minutes),
  ];
  const { place, cuts, lasted } = scaleOf(spans, 0);
  expect([6000, 6000 + minutes, 8000 + minutes].map(place)).toEqual([0.6, 0.8, 1]);
  expect(cuts).toEqual([{ from: 0.6, to: 0.8, lasted: minutes }]);
  expect(lasted).toBe(8000 + minutes);
});

test('a wait that overlaps with work is not shortened', () => {
  const { place, cuts } = scaleOf([span('wait', 0, 60_000), span('tool', 10_000, 50_000)], 0);
  expect(cuts.length).toBe(0);
  expect(place(30_000)).toBeCloseTo(0.5);
});

test('a run without work, or without a duration, has positions, too', () => {
  expect(scaleOf([span('wait', 0, null)], 60_000).place(30_000)).toBe(0.5);
  expect(scaleOf([span('wait', 5, 5)], 5).place(5)).toBe(0);
  expect(scaleOf([], 5)).toMatchObject({ lasted: 0, cuts: [] });
});

test('the ticks of the axis are at round times, and none is in a shortened wait', () => {
  const ticks = (spans: Span[]) => ticksOf(scaleOf(spans, 0)).map(({ after }) => after);
  expect(ticks([span('model', 1000, 4000)])).toEqual([0, 500, 1000, 1500, 2000, 2500, 3000]);
  expect(ticks([span('model', 0, 90)])).toEqual([0, 20, 40, 60, 80]);
  const hour = 3_600_000;
  const waited = ticks([span('model', 0, 60_000), span('wait', 60_000, 8 * hour)]);
  expect(waited[0]).toBe(0);
  expect(waited.filter((after) => after > 60_000 && after < 8 * hour).length).toBeLessThanOrEqual(3);
});
