// What routes have in common.

import { z } from '@hono/zod-openapi';
import { schemas } from '@continuo/protocol';
import { Problem } from './problem.ts';

export const idParam = z.object({ id: z.uuid() });

export const limitQuery = z.coerce.number().int().min(1).max(1000).default(100);

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

/** The database keeps no NUL in a text. */
export function refuseNul(path: string, value: string | undefined): void {
  if (!value?.includes('\0')) return;
  const message = 'must not contain NUL (U+0000)';
  throw new Problem({
    status: 400,
    code: 'invalid_body',
    detail: `${path}: ${message}`,
    extra: { errors: [{ path, message }] },
  });
}
