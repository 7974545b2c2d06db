// A value that changes from event to event, as one line per event: what changed, by its path.

import type { LogEvent } from '@continuo/protocol';

interface After {
  readonly event: Pick<LogEvent, 'seq' | 'type'>;
  readonly value: unknown;
}

/** An event that changes nothing has no line. A path with a minus sign before it is gone. */
export function changeLines(before: unknown, values: readonly After[]): string[] {
  let last = before;
  return values.flatMap(({ event, value }) => {
    const changes = changesBetween(last, value);
    last = value;
    if (Object.keys(changes).length === 0) return [];
    return [`${event.seq} ${event.type} ${plain(changes)}`];
  });
}

/** As JSON whose keys are sorted: the order in which code sets them has no meaning. */
export function plain(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    isObject(each) ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1))) : each,
  );
}

/** By path: the values that are not the same. */
export function changesBetween(before: unknown, after: unknown): Record<string, unknown> {
  return Object.fromEntries(changes(asJson(before), asJson(after), ''));
}

/** As it is stored: without what is undefined. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function changes(before: unknown, after: unknown, path: string): [string, unknown][] {
  const comparable = (isObject(before) && isObject(after)) || (Array.isArray(before) && Array.isArray(after));
  if (!comparable) return plain(before) === plain(after) ? [] : [[path, after]];
  const [old, now] = [Object.entries(before as object), Object.entries(after as object)];
  const known = new Map<string, unknown>(old);
  const left = new Set(now.map(([key]) => key));
  const under = (key: string) => (path === '' ? key : `${path}.${key}`);
  return [
    ...old.flatMap(([key]): [string, unknown][] => (left.has(key) ? [] : [[`-${under(key)}`, null]])),
    ...now.flatMap(([key, value]): [string, unknown][] =>
      known.has(key) ? changes(known.get(key), value, under(key)) : [[under(key), value]],
    ),
  ];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
