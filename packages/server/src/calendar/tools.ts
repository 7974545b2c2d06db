// The calendar tools. Events are in iCalendar files of the workspace; a change is a version of its file, like any other write.

import { z } from 'zod';
import { dayOf, wallToInstant, type CalendarChange, type Occurrence } from '../compute/calendar.ts';
import { findFile } from '../files/files.ts';
import { applyChanges, storeText, textOf, type Planned } from '../files/tools/changes.ts';
import { heavyWork } from '../files/tools/heavy.ts';
import { fileAt } from '../files/tools/shared.ts';
import type { AnyTool } from '../tools/registry.ts';
import { ToolFailure, type CallContext, type Tool } from '../tools/tool.ts';
import {
  calendarName,
  inWords,
  pathOf,
  readStretch,
  stretch,
  stretchPaths,
  time,
  zone,
  type CalendarWorld,
} from './shared.ts';

const MOST_EVENTS = 200;
const MOST_GAPS = 50;

export function createCalendarTools(world: CalendarWorld): readonly AnyTool[] {
  return [listTool(world), createTool(world), updateTool(world), deleteTool(world), freeTimeTool(world)];
}

const listInput = z.strictObject(stretch);

function listTool(world: CalendarWorld): Tool<z.infer<typeof listInput>> {
  return {
    name: 'list_calendar_events',
    description:
      'Lists the events of the workspace’s calendars in a stretch of time, each occurrence of a recurring event on its own.',
    effect: 'pure',
    like: 'read',
    offeredFrom: 'inform',
    input: listInput,
    words: () => 'Lists calendar events',
    paths: stretchPaths,
    async run(input, context) {
      const { occurrences } = await readStretch(world, input, context);
      const shown = occurrences.slice(0, MOST_EVENTS);
      const lines = shown.map((each) => eventInWords(each, input.time_zone));
      if (occurrences.length > shown.length)
        lines.push(`${occurrences.length - shown.length} more; ask for fewer days.`);
      return {
        events: shown.map(({ start, end, ...rest }) => ({
          ...rest,
          start: new Date(start).toISOString(),
          end: new Date(end).toISOString(),
        })),
        text: lines.join('\n') || 'There are no events in this time.',
      };
    },
  };
}

function eventInWords(event: Occurrence, inZone: string): string {
  const { allDay, start, end, title, location, calendar, uid, recurrence } = event;
  const times = allDay
    ? inWords(start, inZone, true)
    : `${inWords(start, inZone)} to ${inWords(end, inZone)}`;
  const where = location === '' ? '' : `, ${location}`;
  const which = recurrence === null ? '' : `, recurrence ${recurrence}`;
  return `${times}: ${title}${where} (calendar ${calendar}, uid ${uid}${which})`;
}

const fields = {
  title: z.string().max(1000).optional(),
  start: time.optional().describe('A date makes an event of the whole day'),
  end: time.optional().describe('For whole days: the day after the last'),
  time_zone: zone
    .optional()
    .describe('The time zone of start and end; without it, they are in the local time of each reader'),
  location: z.string().max(1000).optional(),
  description: z.string().max(20_000).optional(),
  rule: z
    .string()
    .max(500)
    .optional()
    .describe(
      'How it recurs, as an iCalendar RRULE: FREQ=WEEKLY;BYDAY=MO,WE;COUNT=10. An empty text: not at all',
    ),
};
const calendar = calendarName
  .default('main')
  .describe('The calendar; a new one is created by its first event');
const uid = z.string().min(1).max(300).describe('The uid of the event, as list_calendar_events shows it');
const recurrence = z
  .string()
  .max(40)
  .optional()
  .describe('Only this occurrence of a recurring event, as list_calendar_events shows it');

const createInput = z.strictObject({
  calendar,
  ...fields,
  title: z.string().min(1).max(1000),
  start: time,
  end: time,
});

function createTool(world: CalendarWorld): Tool<z.infer<typeof createInput>, Prepared> {
  return {
    ...changing(world, 'create'),
    name: 'create_calendar_event',
    description: 'Creates an event in a calendar of the workspace.',
    input: createInput,
    words: ({ title }) => `Creates the event “${title.slice(0, 200)}”`,
    paths: (input) => [pathOf(input.calendar)],
    prepare: (input, context) => {
      // The same for every repetition of this call.
      const id = `${context.key}@continuo`;
      return prepare(
        world,
        input.calendar,
        { kind: 'add', event: { ...eventOf(world, input), uid: id } },
        context,
      );
    },
  };
}

const updateInput = z.strictObject({ calendar, uid, recurrence, ...fields });

function updateTool(world: CalendarWorld): Tool<z.infer<typeof updateInput>, Prepared> {
  return {
    ...changing(world, 'update'),
    name: 'update_calendar_event',
    description:
      'Changes an event, or one occurrence of a recurring event. Omitted fields stay; an event that gets a new start keeps its length.',
    input: updateInput,
    words: () => 'Changes a calendar event',
    paths: (input) => [pathOf(input.calendar)],
    prepare: (input, context) => {
      const event = { ...eventOf(world, input), uid: input.uid };
      const change: CalendarChange = { kind: 'change', event, recurrence: input.recurrence ?? null };
      return prepare(world, input.calendar, change, context);
    },
  };
}

const deleteInput = z.strictObject({ calendar, uid, recurrence });

function deleteTool(world: CalendarWorld): Tool<z.infer<typeof deleteInput>, Prepared> {
  return {
    ...changing(world, 'delete'),
    name: 'delete_calendar_event',
    description: 'Deletes an event, or one occurrence of a recurring event.',
    input: deleteInput,
    words: () => 'Deletes a calendar event',
    paths: (input) => [pathOf(input.calendar)],
    prepare: (input, context) => {
      const change: CalendarChange = { kind: 'remove', uid: input.uid, recurrence: input.recurrence ?? null };
      return prepare(world, input.calendar, change, context);
    },
  };
}

interface Prepared {
  readonly planned: readonly Planned[];
  readonly uid: string;
}

/** What the tools that change a calendar have in common. */
function changing(world: CalendarWorld, what: 'create' | 'update' | 'delete') {
  return {
    effect: 'transactional',
    like: 'write',
    offeredFrom: 'act',
    async run(_: unknown, context: Parameters<typeof applyChanges>[1] & { readonly prepared: Prepared }) {
      const { planned, uid: id } = context.prepared;
      const [change] = await applyChanges(world, context, planned);
      const file = change?.file;
      return {
        uid: id,
        ...(file && { path: file.path, file: file.id, version: file.version }),
        text: `${what}d ${id}${file ? ` in ${file.path}, version ${file.version}` : '; nothing changed'}`,
      };
    },
  } as const;
}

/** Reads the file, makes the change, and stores the new text. Repeated if the file changes before it is written. */
async function prepare(
  world: CalendarWorld,
  name: string,
  change: CalendarChange,
  context: CallContext,
): Promise<Prepared> {
  const path = fileAt(pathOf(name));
  const file = await findFile(world.pool, context.workspaceId, path);
  if (!file && change.kind !== 'add') throw new ToolFailure(`there is no calendar ${name}`);
  const input = { text: file ? await textOf(world, file) : null, change };
  const done = await heavyWork('changeCalendar', input, context, {
    mayNotEnd: true,
    what: `changing ${path.path}`,
    instead: 'use a calendar with fewer events',
  });
  if (!done.ok) throw new ToolFailure(`nothing was changed: ${done.problem}`);
  const content = await storeText(world, done.text);
  return {
    planned: [{ kind: 'write', path, base: file?.version ?? 0, content }],
    uid: change.kind === 'remove' ? change.uid : change.event.uid,
  };
}

function eventOf(
  world: CalendarWorld,
  input: Omit<z.infer<typeof updateInput>, 'calendar' | 'uid' | 'recurrence'>,
) {
  const { title, location, description, rule, start, end, time_zone: inZone } = input;
  if (start !== undefined && end !== undefined && (start.length === 10) !== (end.length === 10))
    throw new ToolFailure('start and end must both be dates, or both be times');
  const stamp = `${new Date(world.now()).toISOString().slice(0, 19)}Z`;
  const seconds = (text?: string) => text?.replace(/T(\d\d:\d\d)(Z?)$/, 'T$1:00$2');
  return {
    title,
    location,
    description,
    rule,
    start: seconds(start),
    end: seconds(end),
    zone: inZone,
    stamp,
  };
}

const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 09:00');
const freeInput = z.strictObject({
  ...stretch,
  minutes: z.int().min(5).max(1440).describe('How long the free time must be'),
  day_start: clock.default('09:00'),
  day_end: clock.default('17:00'),
  weekends: z.boolean().default(false).describe('Whether Saturdays and Sundays count'),
});

function freeTimeTool(world: CalendarWorld): Tool<z.infer<typeof freeInput>> {
  return {
    name: 'find_free_time',
    description:
      'Finds stretches of time without events in the workspace’s calendars, within the hours of a day.',
    effect: 'pure',
    like: 'read',
    offeredFrom: 'inform',
    input: freeInput,
    words: ({ minutes }) => `Looks for ${minutes} free minutes`,
    paths: stretchPaths,
    async run(input, context) {
      const { from, to, occurrences } = await readStretch(world, input, context);
      const gaps = gapsIn({ ...input, from, to, occurrences }).slice(0, MOST_GAPS);
      const lines = gaps.map(
        ([start, end]) => `${inWords(start, input.time_zone)} to ${inWords(end, input.time_zone)}`,
      );
      return {
        free: gaps.map(([start, end]) => ({
          start: new Date(start).toISOString(),
          end: new Date(end).toISOString(),
        })),
        text: lines.join('\n') || 'There is no such free time.',
      };
    },
  };
}

type Gap = readonly [start: number, end: number];

interface FreeTime extends Omit<z.infer<typeof freeInput>, 'from' | 'to'> {
  readonly from: number;
  readonly to: number;
  readonly occurrences: readonly Occurrence[];
}

/** The free stretches of each day, in order. */
function gapsIn({ from, to, occurrences, ...input }: FreeTime): readonly Gap[] {
  const gaps: Gap[] = [];
  for (let day = dayOf(from, input.time_zone); ; day += 86_400_000) {
    const wall = (text: string) =>
      wallToInstant(
        day + Number(text.slice(0, 2)) * 3_600_000 + Number(text.slice(3)) * 60_000,
        input.time_zone,
      );
    if (wall(input.day_start) >= to) return gaps;
    const weekday = new Date(day).getUTCDay();
    if (!input.weekends && (weekday === 0 || weekday === 6)) continue;
    let free = Math.max(from, wall(input.day_start));
    const last = Math.min(to, wall(input.day_end));
    const add = (until: number) => {
      if (until - free >= input.minutes * 60_000) gaps.push([free, until]);
    };
    // In the order of their starts.
    for (const { start, end } of occurrences) {
      if (end <= free || start >= last) continue;
      add(start);
      free = Math.max(free, end);
    }
    add(last);
  }
}
