// The calendar tools in runs, on files of a workspace: recurrence, exceptions, time zones, versions.

import { beforeAll, expect, test } from 'vitest';
import { ask, framesOf } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { TooMuchWork, WorkerPool } from '../../src/compute/pool.ts';
import { changeCalendar, wallToInstant } from '../../src/compute/calendar.ts';

const world = usePod({ CONTINUO_CALENDAR: 'on' });
const at = (rest: string) => `${world.url}/api/v1/workspaces/default${rest}`;
beforeAll(() => ask('PUT', at('/policy'), { rules: [{ tool: '*', action: 'allow' }] }));

interface End {
  readonly success: boolean;
  readonly output: Record<string, unknown> & { readonly text: string; readonly error?: string };
}
const calls = async (...all: readonly (readonly [tool: string, input: Record<string, unknown>])[]) => {
  const steps = [...all.map(([tool, input]) => ({ calls: [{ tool, input }] })), { text: 'Done.' }];
  const { body } = await ask('POST', at('/chats'), { goal: JSON.stringify({ steps }) });
  const frames = await framesOf(world.url, body.run.id);
  const ends = frames.filter(({ event }) => event === 'tool_end').map(({ data }) => data as unknown as End);
  return { ends, frames };
};
const one = async (tool: string, input: Record<string, unknown>) => (await calls([tool, input])).ends[0]!;
const AUTUMN = { from: '2026-10-01', to: '2026-12-01', time_zone: 'Europe/Berlin' };
const starts = async (input: Record<string, unknown> = AUTUMN) => {
  const { output } = await one('list_calendar_events', input);
  return (output['events'] as { start: string; title: string }[]).map(
    ({ start, title }) => `${start.slice(0, 16)} ${title}`,
  );
};

test('ONT-9 events are created, listed, changed and deleted, each change a version of the file', async () => {
  const weekly = {
    calendar: 'work',
    title: 'Stand-up',
    start: '2026-10-19T09:00',
    end: '2026-10-19T09:30',
    time_zone: 'Europe/Berlin',
    rule: 'FREQ=WEEKLY;COUNT=4',
    location: 'Room 1',
  };
  const { ends, frames } = await calls(['create_calendar_event', weekly]);
  const { uid } = ends[0]!.output as unknown as { uid: string };
  expect(ends[0]).toMatchObject({ success: true, output: { path: '/calendars/work.ics', version: 1 } });
  expect(frames.find(({ event }) => event === 'file_updated')!.data).toMatchObject({
    path: '/calendars/work.ics',
    v: 1,
  });
  // 09:00 in Berlin, before and after the clocks change on 25 October.
  expect(await starts()).toEqual([
    '2026-10-19T07:00 Stand-up',
    '2026-10-26T08:00 Stand-up',
    '2026-11-02T08:00 Stand-up',
    '2026-11-09T08:00 Stand-up',
  ]);

  const event = { calendar: 'work', uid };
  const moved = {
    ...event,
    recurrence: '2026-10-26T09:00:00',
    title: 'Late',
    start: '2026-10-27T10:00',
    time_zone: 'Europe/Berlin',
  };
  await calls(
    ['update_calendar_event', moved],
    ['delete_calendar_event', { ...event, recurrence: '2026-11-02T09:00:00' }],
  );
  const { output } = await one('list_calendar_events', AUTUMN);
  expect(output.text).toBe(
    [
      `2026-10-19 09:00 to 2026-10-19 09:30: Stand-up, Room 1 (calendar work, uid ${uid}, recurrence 2026-10-19T09:00:00)`,
      `2026-10-27 10:00 to 2026-10-27 10:30: Late, Room 1 (calendar work, uid ${uid}, recurrence 2026-10-26T09:00:00)`,
      `2026-11-09 09:00 to 2026-11-09 09:30: Stand-up, Room 1 (calendar work, uid ${uid}, recurrence 2026-11-09T09:00:00)`,
    ].join('\n'),
  );
  // The whole event, its exception included.
  await calls(['delete_calendar_event', event]);
  expect(await starts()).toEqual([]);
  const { body } = await ask('GET', at('/versions?path=/calendars/work.ics'));
  expect(body.items.map(({ version }: { version: number }) => version).toSorted()).toEqual([1, 2, 3, 4]);
});

test('ONT-9 calendars of other programs are read: whole days, UTC, zones with rules of their own, durations', async () => {
  const foreign =
    `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Other//EN\r\nBEGIN:VTIMEZONE\r\nTZID:W. Europe Standard Time\r\nBEGIN:STANDARD\r\nDTSTART:16010101T030000\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10\r\nEND:STANDARD\r\nBEGIN:DAYLIGHT\r\nDTSTART:16010101T020000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3\r\nEND:DAYLIGHT\r\nEND:VTIMEZONE
BEGIN:VEVENT\r\nUID:outlook\r\nDTSTART;TZID=W. Europe Standard Time:20261020T100000\r\nDURATION:PT1H\r\nSUMMARY:Outlook\r\nEND:VEVENT
BEGIN:VEVENT\r\nUID:utc\r\nDTSTART:20261021T100000Z\r\nDTEND:20261021T110000Z\r\nSUMMARY:In UTC\\, with a long line that is fol\r\n ded\r\nRRULE:FREQ=DAILY;UNTIL=20261023T100000Z\r\nEXDATE:20261022T100000Z\r\nEND:VEVENT
BEGIN:VEVENT\r\nUID:day\r\nDTSTART;VALUE=DATE:20261024\r\nDTEND;VALUE=DATE:20261026\r\nSUMMARY:Fair\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`.replaceAll(
      /\r?\n/g,
      '\r\n',
    );
  await ask('PUT', at('/files/calendars/team.ics'), foreign, { 'content-type': 'text/calendar' });
  expect(await starts({ ...AUTUMN, calendar: 'team' })).toEqual([
    '2026-10-20T08:00 Outlook',
    '2026-10-21T10:00 In UTC, with a long line that is folded',
    '2026-10-23T10:00 In UTC, with a long line that is folded',
    '2026-10-23T22:00 Fair',
  ]);
});

test('ONT-9 free time is what no event occupies, within the hours of the days', async () => {
  const { output } = await one('find_free_time', {
    from: '2026-10-20',
    to: '2026-10-26',
    time_zone: 'Europe/Berlin',
    calendar: 'team',
    minutes: 240,
  });
  // Tuesday 10–11, Wednesday and Friday 12–13; Saturday and Sunday do not count.
  expect(output.text.split('\n')).toEqual([
    '2026-10-20 11:00 to 2026-10-20 17:00',
    '2026-10-21 13:00 to 2026-10-21 17:00',
    '2026-10-22 09:00 to 2026-10-22 17:00',
    '2026-10-23 13:00 to 2026-10-23 17:00',
  ]);
});

test.each([
  [
    'an end before the start',
    'create_calendar_event',
    { title: 'x', start: '2026-10-19T09:00', end: '2026-10-19T08:00' },
    'the end is before the start',
  ],
  [
    'a zone that is none',
    'create_calendar_event',
    { title: 'x', start: '2026-10-19T09:00', end: '2026-10-19T10:00', time_zone: 'Mars/Base' },
    'must be a time zone',
  ],
  [
    'a time that is none',
    'create_calendar_event',
    { title: 'x', start: 'tomorrow', end: '2026-10-19' },
    'must be a date',
  ],
  [
    'a date and a time',
    'create_calendar_event',
    { title: 'x', start: '2026-10-19', end: '2026-10-19T10:00' },
    'both be dates',
  ],
  [
    'a rule that is none',
    'create_calendar_event',
    { title: 'x', start: '2026-10-19', end: '2026-10-20', rule: 'FREQ=SOMETIMES' },
    'nothing was changed',
  ],
  [
    'a path as a name',
    'create_calendar_event',
    { calendar: '../agents/x', title: 'x', start: '2026-10-19', end: '2026-10-20' },
    'must be the name of a file',
  ],
  [
    'an event that is not there',
    'update_calendar_event',
    { calendar: 'team', uid: 'none', title: 'x' },
    'has no event none',
  ],
  [
    'an occurrence that is not there',
    'delete_calendar_event',
    { calendar: 'team', uid: 'utc', recurrence: '2030-01-01T00:00:00Z' },
    'has no occurrence',
  ],
  [
    'a calendar that is not there',
    'delete_calendar_event',
    { calendar: 'none', uid: 'x' },
    'there is no calendar none',
  ],
  ['too many days', 'list_calendar_events', { from: '2026-01-01', to: '2028-01-01' }, 'at most 366 days'],
])('%s is a failure that says what to do', async (_, tool, input, message) => {
  const { success, output } = await one(tool, input);
  expect([success, output.error]).toEqual([false, expect.stringContaining(message)]);
});

test('ONT-9 a rule about writing files applies to events', async () => {
  await ask('PUT', at('/policy'), {
    rules: [
      { tool: '*', action: 'allow' },
      { tool: 'write', path: '/calendars/**', action: 'deny' },
    ],
  });
  const denied = await one('create_calendar_event', { title: 'x', start: '2026-10-19', end: '2026-10-20' });
  expect(denied.output.error).toContain('denied');
});

test('a recurrence rule that never ends or never matches a day is cut off, and nothing else is', async () => {
  const event = (rule: string) =>
    `BEGIN:VEVENT\r\nUID:x\r\nDTSTART:20200101T000000Z\r\nRRULE:${rule}\r\nEND:VEVENT`;
  const read = async (rule: string) => {
    const text = `BEGIN:VCALENDAR\r\n${event(rule)}\r\nEND:VCALENDAR`;
    await ask('PUT', at('/files/calendars/odd.ics'), text, { 'content-type': 'text/calendar' });
    return one('list_calendar_events', { ...AUTUMN, calendar: 'odd' });
  };
  expect((await read('FREQ=SECONDLY')).success).toBe(true);
  expect((await read('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30')).output['events']).toEqual([]);
  // The same on a pool whose jobs may take a moment only.
  const text = `BEGIN:VCALENDAR\r\n${event('FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30')}\r\nEND:VCALENDAR`;
  const input = { calendars: [{ name: 'odd', text }], from: 0, to: Date.UTC(2027, 0, 1), zone: 'UTC' };
  const endless = new WorkerPool({ jobMs: 500 }).run('readCalendars', input, { key: 'x', mayNotEnd: true });
  await expect(endless).rejects.toThrow(TooMuchWork);
});

test('a file that is not a calendar is not changed', () => {
  const change = { kind: 'remove', uid: 'x', recurrence: null } as const;
  expect(changeCalendar({ text: 'nonsense', change }).ok).toBe(false);
});

test('a time that a change of clocks skips or repeats has one instant', () => {
  const wall = (text: string) => wallToInstant(Date.parse(`${text}Z`), 'Europe/Berlin');
  expect(new Date(wall('2026-03-29T02:30')).toISOString()).toBe('2026-03-29T01:30:00.000Z');
  expect(new Date(wall('2026-10-25T02:30')).toISOString()).toBe('2026-10-25T00:30:00.000Z');
  expect(new Date(wall('2026-10-25T03:30')).toISOString()).toBe('2026-10-25T02:30:00.000Z');
});
