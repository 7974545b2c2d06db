// The times of cron expressions, and what is due of them.

import { expect, test } from 'vitest';
import { dueTimes, MOST_EARLIER, problemWith, timesAfter } from '../../src/automation/times.ts';

const times = (cron: string, timeZone: string, after: string, count = 3) =>
  timesAfter({ cron, timeZone }, new Date(after), count).map((time) => time.toISOString().slice(0, 16));

test('PLUS-10 a time that the clocks skip falls on the first moment after the gap', () => {
  // In Berlin, 29 March 2026 has no 02:30: the clocks go from 02:00 to 03:00.
  expect(times('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00Z')).toEqual([
    '2026-03-28T01:30',
    '2026-03-29T01:00',
    '2026-03-30T00:30',
  ]);
  // New York, 8 March 2026.
  expect(times('15 2 * * *', 'America/New_York', '2026-03-07T00:00Z')).toEqual([
    '2026-03-07T07:15',
    '2026-03-08T07:00',
    '2026-03-09T06:15',
  ]);
});

test('PLUS-10 a time that the clocks repeat comes once; an hourly one comes every hour', () => {
  // In Berlin, 25 October 2026 has 02:30 twice: at 00:30 and at 01:30 UTC.
  expect(times('30 2 * * *', 'Europe/Berlin', '2026-10-24T00:00Z')).toEqual([
    '2026-10-24T00:30',
    '2026-10-25T00:30',
    '2026-10-26T01:30',
  ]);
  expect(times('0 * * * *', 'Europe/Berlin', '2026-10-24T23:30Z', 4)).toEqual([
    '2026-10-25T00:00',
    '2026-10-25T01:00',
    '2026-10-25T02:00',
    '2026-10-25T03:00',
  ]);
});

test('PLUS-10 over the jumps of a year, every day has exactly one time', () => {
  for (const timeZone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca'])
    for (const cron of ['30 2 * * *', '59 1 * * *']) {
      const all = timesAfter({ cron, timeZone }, new Date('2026-01-01T12:00Z'), 366);
      const days = all.map((time) => time.toLocaleDateString('en-CA', { timeZone }));
      expect(new Set(days).size, `${cron} ${timeZone}`).toBe(366);
      const gaps = all.slice(1).map((time, index) => time.getTime() - all[index]!.getTime());
      expect(Math.max(...gaps)).toBeLessThanOrEqual(25 * 3_600_000);
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(22.5 * 3_600_000);
    }
});

const due = (from: string, now: string, cron = '0 9 * * *') => {
  const { at, next, ...rest } = dueTimes({ cron, timeZone: 'UTC' }, new Date(from), new Date(now));
  return { at: at.toISOString().slice(0, 16), next: next?.toISOString().slice(0, 16) ?? null, ...rest };
};

test('PLUS-10 a time is missed when it passed more than a minute ago; of several the latest counts', () => {
  expect(due('2026-05-01T09:00Z', '2026-05-01T09:00:00.010Z')).toEqual({
    at: '2026-05-01T09:00',
    earlier: 0,
    isMissed: false,
    next: '2026-05-02T09:00',
  });
  expect(due('2026-05-01T09:00Z', '2026-05-01T09:01:01Z').isMissed).toBe(true);
  expect(due('2026-05-01T09:00Z', '2026-05-04T09:00:30Z')).toEqual({
    at: '2026-05-04T09:00',
    earlier: 3,
    isMissed: false,
    next: '2026-05-05T09:00',
  });
  // A year without a server: the times are not all counted, and the latest is still found.
  expect(due('2026-01-01T00:00Z', '2027-01-01T00:10:30Z', '*/5 * * * *')).toEqual({
    at: '2027-01-01T00:10',
    earlier: MOST_EARLIER,
    isMissed: false,
    next: '2027-01-01T00:15',
  });
});

test.each([
  ['61 * * * *', 'UTC', 'cron', /minute: 61.*five fields/],
  ['* * * * * *', 'UTC', 'cron', /has 6 fields/],
  ['hello', 'UTC', 'cron', /has 1 fields/],
  ['@sometimes', 'UTC', 'cron', /five fields/],
  ['2030-01-01T00:00:00', 'UTC', 'cron', /has 1 fields/],
  ['0 9 * * *', 'Mars/Olympus', 'time_zone', /"Mars\/Olympus" is not a time zone/],
  ['0 9 * * *', '+02:00', 'time_zone', /is not a time zone/],
])('%s in %s is refused, and the message says why', (cron, timeZone, path, message) => {
  expect(problemWith({ cron, timeZone })).toEqual({ path, message: expect.stringMatching(message) });
});
