// Helpers that several routes share.

import { z } from '@hono/zod-openapi';
import { schemas } from '@continuo/protocol';
import { Problem } from './problem.ts';

export const idParam = z.object({ id: z.uuid() });

/** The highest version number that the database can store. */
export const MOST_VERSIONS = 2_147_483_647;

/** A whole number in a query string. */
export function wholeNumber(least: number, most: number) {
  const allowed = `must be a whole number from ${least} to ${most}`;
  return z.coerce.number(allowed).int(allowed).min(least, allowed).max(most, allowed);
}

export const limitQuery = wholeNumber(1, 1000).default(100);

export function json<T extends z.ZodType>(schema: T, description: string) {
  return { description, content: { 'application/json': { schema } } };
}

export function problems(...statuses: number[]) {
  const answer = {
    description: 'A problem',
    content: { 'application/problem+json': { schema: schemas.problem } },
  };
  return Object.fromEntries(statuses.map((status) => [status, answer]));
}

export function body<T extends z.ZodType>(schema: T, required = true) {
  return { required, content: { 'application/json': { schema } } };
}

export function page<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), next: z.string().nullable() });
}

export function notFound(what: string, id: string): Problem {
  return new Problem({
    status: 404,
    code: `${what}_not_found`,
    detail: `There is no ${what} with the id ${id}.`,
  });
}

export function invalidCursor(given: string, detail: string): Problem {
  return new Problem({
    status: 400,
    code: 'invalid_cursor',
    detail: `The cursor ${JSON.stringify(given.slice(0, 100))} ${detail}`,
  });
}

/** The cursor of a list that is sorted newest first: the time and the id of its last item. */
export function timeCursor(given: string): { at: string; id: string } {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)_([0-9a-f-]{36})$/.exec(given);
  if (!match || !z.uuid().safeParse(match[2]).success || !isTime(match[1]!)) {
    throw invalidCursor(given, 'is not the `next` of a page.');
  }
  return { at: match[1]!, id: match[2]! };
}

/** Whether the date exists and the database can store it. */
function isTime(text: string): boolean {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()) || time.getUTCFullYear() < 1) return false;
  return time.toISOString().slice(0, 19) === text.slice(0, 19);
}

/** A field of the body that its schema allows, but that cannot be used. */
export function invalidField(path: string, message: string): Problem {
  return new Problem({
    status: 400,
    code: 'invalid_body',
    detail: `${path}: ${message}`,
    extra: { errors: [{ path, message }] },
  });
}

/** The database cannot store NUL in text. */
export function refuseNul(
  path: string,
  value: string | undefined,
  part: 'body' | 'query' | 'params' = 'body',
): void {
  if (!value?.includes('\0')) return;
  const message = 'must not contain NUL (U+0000)';
  throw new Problem({
    status: 400,
    code: `invalid_${part}`,
    detail: `${path}: ${message}`,
    extra: { errors: [{ path, message }] },
  });
}
