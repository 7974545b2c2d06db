// Reads and changes iCalendar texts: occurrences of events in a stretch of time, and events put in or taken out. Pure.

import ICAL from 'ical.js';

export interface Occurrence {
  readonly calendar: string;
  readonly uid: string;
  readonly title: string;
  readonly location: string;
  readonly description: string;
  /** In milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly allDay: boolean;
  /** The original start of an occurrence of a recurring event, as the file writes it; null for a single event. */
  readonly recurrence: string | null;
  /** The rule of a recurring event. */
  readonly rule: string | null;
}

export interface Stretch {
  readonly from: number;
  readonly to: number;
  /** The zone of times that name none. */
  readonly zone: string;
}

const DAY_MS = 86_400_000;
/** Recurrences that are looked at per event. */
const MOST_RECURRENCES = 10_000;

export function readCalendars({
  calendars,
  ...stretch
}: Stretch & {
  readonly calendars: readonly { readonly name: string; readonly text: string }[];
}): readonly Occurrence[] {
  return calendars
    .flatMap(({ name, text }) => {
      const calendar = parse(text);
      const clock = clockOf(calendar, stretch.zone);
      return eventsIn(calendar).flatMap((event) =>
        occurrencesOf(event, { calendar: name, clock, ...stretch }),
      );
    })
    .toSorted((one, other) => one.start - other.start || one.title.localeCompare(other.title));
}

/** Throws if the text is not a calendar. */
function parse(text: string): ICAL.Component {
  const component = new ICAL.Component(ICAL.parse(text) as unknown[]);
  if (component.name !== 'vcalendar') throw new Error('the file has no VCALENDAR');
  return component;
}

function eventsIn(calendar: ICAL.Component): readonly ICAL.Event[] {
  const components = calendar.getAllSubcomponents('vevent');
  const exceptions = components.filter((each) => each.hasProperty('recurrence-id'));
  return components
    .filter((each) => !each.hasProperty('recurrence-id'))
    .map((each) => {
      const uid = each.getFirstPropertyValue('uid');
      const own = exceptions.filter((exception) => exception.getFirstPropertyValue('uid') === uid);
      return new ICAL.Event(each, { exceptions: own as unknown as ICAL.Event[], strictExceptions: false });
    });
}

/** The instant of a wall clock's time in a zone. */
type Clock = (time: ICAL.Time, zone: string | undefined) => number;

function occurrencesOf(
  event: ICAL.Event,
  { calendar, clock, from, to }: Stretch & { readonly calendar: string; readonly clock: Clock },
): readonly Occurrence[] {
  const zone = zoneOf(event.component, 'dtstart');
  const shown = (
    item: ICAL.Event,
    start: ICAL.Time,
    end: ICAL.Time,
    recurrence: ICAL.Time | null,
  ): Occurrence => ({
    calendar,
    uid: event.uid,
    title: item.summary ?? '',
    location: item.location ?? '',
    description: item.description ?? '',
    start: clock(start, zoneOf(item.component, 'dtstart')),
    end: clock(end, zoneOf(item.component, 'dtend') ?? zoneOf(item.component, 'dtstart')),
    allDay: start.isDate,
    recurrence: recurrence?.toString() ?? null,
    rule: event.component.getFirstPropertyValue('rrule')?.toString() ?? null,
  });
  const isIn = ({ start, end }: Occurrence) => start < to && (end > from || (start === end && start >= from));
  if (!event.isRecurring()) return [shown(event, event.startDate, event.endDate, null)].filter(isIn);
  const found = new Map<string, Occurrence>();
  const iterator = event.iterator();
  for (let count = 0; count < MOST_RECURRENCES; count += 1) {
    const next = iterator.next();
    if (!next || clock(next, zone) >= to) break;
    const { item, startDate, endDate } = event.getOccurrenceDetails(next);
    found.set(next.toString(), shown(item, startDate, endDate, next));
  }
  // An exception may have been moved here from later.
  for (const item of Object.values(event.exceptions))
    if (!found.has(item.recurrenceId.toString()))
      found.set(item.recurrenceId.toString(), shown(item, item.startDate, item.endDate, item.recurrenceId));
  return [...found.values()].filter(isIn);
}

function zoneOf(component: ICAL.Component, name: string): string | undefined {
  const zone = component.getFirstProperty(name)?.getParameter('tzid');
  return typeof zone === 'string' ? zone : undefined;
}

/** A zone's rules are those of the time zone database; the rules in the file count for zones that it does not know. */
function clockOf(calendar: ICAL.Component, floating: string): Clock {
  const own = new Map(
    calendar
      .getAllSubcomponents('vtimezone')
      .map((each) => [String(each.getFirstPropertyValue('tzid')), new ICAL.Timezone(each)]),
  );
  return (time, zone) => {
    const wall = Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second);
    if (time.zone === ICAL.Timezone.utcTimezone) return wall;
    if (time.isDate || zone === undefined) return wallToInstant(wall, floating);
    if (isZone(zone)) return wallToInstant(wall, zone);
    const rules = own.get(zone);
    return rules ? wall - rules.utcOffset(time) * 1000 : wallToInstant(wall, floating);
  };
}

export function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/**
 * As RFC 5545 says: of a time that happens twice, the first is meant, and a time that a change of clocks skips is read with the offset
 * before the change.
 */
export function wallToInstant(wall: number, zone: string): number {
  const before = offsetAt(wall - DAY_MS, zone);
  const after = offsetAt(wall + DAY_MS, zone);
  const isRight = (offset: number) => offsetAt(wall - offset, zone) === offset;
  return wall - (isRight(before) || !isRight(after) ? before : after);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** What to add to an instant for the wall clock of the zone, in milliseconds. */
function offsetAt(instant: number, zone: string): number {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'iso8601',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  formats.set(zone, format);
  const part = Object.fromEntries(
    format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
  );
  const wall = Date.UTC(
    part['year']!,
    part['month']! - 1,
    part['day'],
    part['hour'],
    part['minute'],
    part['second'],
  );
  return wall - Math.floor(instant / 1000) * 1000;
}

/** Midnight of the zone's wall clock on the day of an instant, as if it were UTC. */
export function dayOf(instant: number, zone: string): number {
  return Math.floor((instant + offsetAt(instant, zone)) / DAY_MS) * DAY_MS;
}

interface NewEvent {
  readonly uid: string;
  readonly title?: string | undefined;
  readonly location?: string | undefined;
  readonly description?: string | undefined;
  readonly start?: string | undefined;
  readonly end?: string | undefined;
  readonly zone?: string | undefined;
  /** An RRULE without its name; an empty text removes it. */
  readonly rule?: string | undefined;
  /** When the change is made: `2026-11-18T09:00:00Z`. */
  readonly stamp: string;
}

const EMPTY = 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Continuo//EN\r\nEND:VCALENDAR\r\n';

export type CalendarChange =
  | { readonly kind: 'add'; readonly event: NewEvent }
  | { readonly kind: 'change'; readonly event: NewEvent; readonly recurrence: string | null }
  | { readonly kind: 'remove'; readonly uid: string; readonly recurrence: string | null };

/** The text after the change; a problem if it cannot be made. Null is a calendar that does not exist yet. */
export function changeCalendar({
  text,
  change,
}: {
  readonly text: string | null;
  readonly change: CalendarChange;
}): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string } {
  try {
    const calendar = parse(text ?? EMPTY);
    make(calendar, change);
    return { ok: true, text: `${calendar.toString()}\r\n` };
  } catch (error) {
    return { ok: false, problem: (error as Error).message };
  }
}

function make(calendar: ICAL.Component, change: CalendarChange): void {
  if (change.kind === 'add')
    return fill(calendar.addSubcomponent(new ICAL.Component('vevent')), change.event);
  const uid = change.kind === 'change' ? change.event.uid : change.uid;
  const all = calendar
    .getAllSubcomponents('vevent')
    .filter((each) => each.getFirstPropertyValue('uid') === uid);
  const master = all.find((each) => !each.hasProperty('recurrence-id'));
  if (!master) throw new Error(`the calendar has no event ${uid}; list_calendar_events shows the events`);
  const { recurrence } = change;
  if (recurrence === null) {
    if (change.kind === 'change') return fill(master, change.event);
    for (const each of all) calendar.removeSubcomponent(each);
    return;
  }
  const own = all.find((each) => each.getFirstPropertyValue('recurrence-id')?.toString() === recurrence);
  const at = occurrenceAt(master, recurrence);
  if (change.kind === 'remove') {
    if (own) calendar.removeSubcomponent(own);
    return addTime(master, 'exdate', at, zoneOf(master, 'dtstart'));
  }
  fill(own ?? calendar.addSubcomponent(exceptionOf(master, at)), change.event);
}

/** The original start of one occurrence, in the form of the event's own start. */
function occurrenceAt(master: ICAL.Component, recurrence: string): ICAL.Time {
  const event = new ICAL.Event(master);
  if (!event.isRecurring()) throw new Error('the event does not recur; leave out the recurrence');
  const iterator = event.iterator();
  for (let count = 0; count < MOST_RECURRENCES; count += 1) {
    const next = iterator.next();
    if (!next) break;
    if (next.toString() === recurrence) return next;
  }
  throw new Error(`the event has no occurrence ${recurrence}; list_calendar_events shows them`);
}

function exceptionOf(master: ICAL.Component, at: ICAL.Time): ICAL.Component {
  const exception = new ICAL.Component(structuredClone(master.jCal) as unknown[]);
  const event = new ICAL.Event(exception);
  const { duration } = event;
  for (const name of ['rrule', 'rdate', 'exdate']) exception.removeAllProperties(name);
  const zone = zoneOf(master, 'dtstart');
  addTime(exception, 'recurrence-id', at, zone);
  setTime(exception, 'dtstart', at, zone);
  const end = at.clone();
  end.addDuration(duration);
  exception.removeAllProperties('duration');
  setTime(exception, 'dtend', end, zone);
  return exception;
}

function fill(component: ICAL.Component, event: NewEvent): void {
  component.updatePropertyWithValue('uid', event.uid);
  component.updatePropertyWithValue('dtstamp', timeOf(event.stamp));
  if (event.title !== undefined) component.updatePropertyWithValue('summary', event.title);
  if (event.location !== undefined) component.updatePropertyWithValue('location', event.location);
  if (event.description !== undefined) component.updatePropertyWithValue('description', event.description);
  if (event.start !== undefined) {
    const isOld = component.hasProperty('dtstart');
    const duration = isOld ? new ICAL.Event(component).duration : null;
    const start = timeOf(event.start);
    setTime(component, 'dtstart', start, event.zone);
    // An event that is moved keeps its length.
    if (duration && event.end === undefined && component.hasProperty('dtend')) {
      const end = start.clone();
      end.addDuration(duration);
      setTime(component, 'dtend', end, event.zone);
    }
  }
  if (event.end !== undefined) {
    component.removeAllProperties('duration');
    setTime(component, 'dtend', timeOf(event.end), event.zone);
  }
  if (event.rule === '') component.removeAllProperties('rrule');
  else if (event.rule !== undefined)
    component.updatePropertyWithValue('rrule', ICAL.Recur.fromString(event.rule));
  const { startDate, endDate } = new ICAL.Event(component);
  if (endDate.compare(startDate) < 0) throw new Error('the end is before the start');
}

function partsOf(text: string): Parameters<typeof ICAL.Time.fromData>[0] {
  const [year, month, day, hour, minute, second] = text.replace('Z', '').split(/\D/).map(Number);
  const isDate = hour === undefined;
  return {
    year: year!,
    month: month!,
    day: day!,
    hour: hour ?? 0,
    minute: minute ?? 0,
    second: second ?? 0,
    isDate,
  };
}

function timeOf(text: string): ICAL.Time {
  return ICAL.Time.fromData(partsOf(text), text.endsWith('Z') ? ICAL.Timezone.utcTimezone : undefined);
}

function setTime(component: ICAL.Component, name: string, time: ICAL.Time, zone?: string): void {
  component.removeAllProperties(name);
  addTime(component, name, time, zone);
}

function addTime(component: ICAL.Component, name: string, time: ICAL.Time, zone?: string): void {
  const property = new ICAL.Property(name, component);
  if (time.isDate) property.resetType('date');
  property.setValue(time);
  if (zone !== undefined && !time.isDate && time.zone !== ICAL.Timezone.utcTimezone)
    property.setParameter('tzid', zone);
  component.addProperty(property);
}
