// What the calendar tools share: times as models write them, and the calendars of a workspace, which are the files
// /calendars/<name>.ics.

import { z } from 'zod';
import { isZone, wallToInstant, type Occurrence } from '../compute/calendar.ts';
import { findFile, listFiles } from '../files/files.ts';
import { textOf } from '../files/tools/changes.ts';
import { heavyWork } from '../files/tools/heavy.ts';
import { fileAt, folderAt, type ToolWorld } from '../files/tools/shared.ts';
import { ToolFailure, type CallContext } from '../tools/tool.ts';

export interface CalendarWorld extends ToolWorld {
  readonly now: () => number;
}

const FOLDER = '/calendars';
const MOST_CALENDARS = 50;
const MOST_DAYS = 366;
const DAY_MS = 86_400_000;

export const time = z
  .string()
  .regex(
    /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z?)?$/,
    'must be a date (2026-11-18), a time (2026-11-18T09:00) or a time in UTC (2026-11-18T09:00Z)',
  )
  .refine((text) => !Number.isNaN(Date.parse(text)), 'is not a date of the calendar');
export const zone = z.string().refine(isZone, 'must be a time zone such as Europe/Berlin');
export const calendarName = z
  .string()
  .regex(/^[\w][\w-]{0,63}$/, 'must be the name of a file in /calendars, without .ics');

export const pathOf = (calendar: string): string => `${FOLDER}/${calendar}.ics`;

/** The instant of a time as a model writes it. */
function instantOf(text: string, inZone: string): number {
  const wall = Date.parse(text.endsWith('Z') || text.length === 10 ? text : `${text}Z`);
  return text.endsWith('Z') ? wall : wallToInstant(wall, inZone);
}

export const stretch = {
  from: time.optional().describe('The first day or time; default: now'),
  to: time.optional().describe('The end, which is not included; default: 30 days after from'),
  calendar: calendarName.optional().describe('Only this calendar; default: all'),
  time_zone: zone.default('UTC').describe('The time zone of times here and in the result'),
};
interface StretchInput {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly calendar?: string | undefined;
  readonly time_zone: string;
}

export function stretchPaths({ calendar }: StretchInput): readonly string[] {
  return [calendar === undefined ? `${FOLDER}/` : pathOf(calendar)];
}

/** The occurrences in a stretch of time, in order. */
export async function readStretch(
  world: CalendarWorld,
  { from: first, to: last, calendar, time_zone: inZone }: StretchInput,
  context: CallContext,
): Promise<{ readonly from: number; readonly to: number; readonly occurrences: readonly Occurrence[] }> {
  const from = first === undefined ? world.now() : instantOf(first, inZone);
  const to = last === undefined ? from + 30 * DAY_MS : instantOf(last, inZone);
  if (to <= from) throw new ToolFailure('to must be after from');
  if (to - from > MOST_DAYS * DAY_MS)
    throw new ToolFailure(`from and to may be at most ${MOST_DAYS} days apart`);
  const calendars = await readCalendarFiles(world, calendar, context);
  const occurrences = await heavyWork('readCalendars', { calendars, from, to, zone: inZone }, context, {
    mayNotEnd: true,
    what: 'reading the calendars',
    instead: 'ask for one calendar, or fewer days',
  }).catch((error: unknown) => {
    if (error instanceof ToolFailure) throw error;
    throw new ToolFailure(`a calendar cannot be read: ${(error as Error).message}`);
  });
  return { from, to, occurrences };
}

async function readCalendarFiles(world: CalendarWorld, calendar: string | undefined, context: CallContext) {
  const { workspaceId } = context;
  const one =
    calendar === undefined ? null : await findFile(world.pool, workspaceId, fileAt(pathOf(calendar)));
  if (calendar !== undefined && !one) throw new ToolFailure(`there is no calendar ${calendar}`);
  const all = one
    ? [one]
    : await listFiles(world.pool, workspaceId, { folder: folderAt(FOLDER), limit: 1000 });
  const files = all.filter(({ path }) => /^\/calendars\/[^/]+\.ics$/i.test(path)).slice(0, MOST_CALENDARS);
  return Promise.all(
    files.map(async (file) => {
      context.used(file.id);
      return { name: file.path.slice(FOLDER.length + 1, -4), text: await textOf(world, file) };
    }),
  );
}

/** `2026-11-18 09:00`, or only the date. */
export function inWords(instant: number, inZone: string, allDay = false): string {
  const text = new Date(instant).toLocaleString('sv-SE', {
    timeZone: inZone,
    dateStyle: 'short',
    timeStyle: 'short',
  });
  return allDay ? text.slice(0, 10) : text;
}
