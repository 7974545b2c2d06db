// The times of a cron expression in a time zone. Pure: the caller says what time it is.
//
// Daylight saving time: a time that a day does not have, because the clocks skip it, falls on the first moment after the gap. A
// time that a day has twice falls on its first occurrence, unless the expression has no fixed hour: then every occurrence counts.

import { Cron } from 'croner';

/** How many times are shown in advance. */
export const TIMES_SHOWN = 5;
/** The most missed times that are counted; counting more would take long. */
export const MOST_EARLIER = 100;
/** A time that passed longer ago than this was missed. */
const GRACE_MS = 60_000;

export interface Timing {
  readonly cron: string;
  readonly timeZone: string;
}

/** Why the expression or the time zone cannot be used; null if they can. */
export function problemWith({ cron, timeZone }: Timing): { path: string; message: string } | null {
  if (!isTimeZone(timeZone)) return { path: 'time_zone', message: notATimeZone(timeZone) };
  if (!/^@[a-z]+$/i.test(cron) && cron.split(/\s+/).length !== 5)
    return { path: 'cron', message: `has ${cron.split(/\s+/).length} fields; ${FIVE_FIELDS}` };
  try {
    parse({ cron, timeZone });
    return null;
  } catch (error) {
    return {
      path: 'cron',
      message: `${(error as Error).message.replace(/^CronPattern: /, '')}; ${FIVE_FIELDS}`,
    };
  }
}

const FIVE_FIELDS =
  'write five fields: minute, hour, day of the month, month, day of the week, such as 0 9 * * MON-FRI';

/** The next times after `after`; fewer if the expression has no more. */
export function timesAfter(timing: Timing, after: Date, count: number): Date[] {
  return parse(timing).nextRuns(count, after);
}

export interface DueTimes {
  /** The latest time that has come. */
  readonly at: Date;
  /** How many times came before it and were not handled. */
  readonly earlier: number;
  readonly isMissed: boolean;
  /** The first time after now; null if there is none. */
  readonly next: Date | null;
}

/** What has come since `from`, which is the first time that was not handled and is not after `now`. */
export function dueTimes(timing: Timing, from: Date, now: Date): DueTimes {
  const cron = parse(timing);
  let at = from;
  let earlier = 0;
  for (let next = cron.nextRun(at); next && next <= now && earlier < MOST_EARLIER; next = cron.nextRun(at)) {
    at = next;
    earlier += 1;
  }
  if (earlier === MOST_EARLIER) at = cron.previousRuns(1, new Date(now.getTime() + 1))[0] ?? at;
  return { at, earlier, isMissed: now.getTime() - at.getTime() > GRACE_MS, next: cron.nextRun(now) };
}

function parse({ cron, timeZone }: Timing): Cron {
  return new Cron(cron, { timezone: timeZone, mode: '5-part', paused: true });
}

export function notATimeZone(given: string): string {
  return `${JSON.stringify(given)} is not a time zone; use a name of the IANA database such as Europe/Berlin, or UTC`;
}

export function isTimeZone(name: string): boolean {
  // An offset such as +02:00 is not a time zone: it knows no daylight saving time.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
