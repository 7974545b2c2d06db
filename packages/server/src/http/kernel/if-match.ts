// The If-Match header of a change: the version that the client started from.

import type { Context } from 'hono';
import { Problem } from './problem.ts';

/** Null without the header, or with `*`: any version. */
export function ifMatchVersion(c: Context): number | null {
  const given = c.req.header('if-match')?.trim();
  if (given === undefined || given === '*') return null;
  const match = /^(?:W\/)?"(\d{1,9})"$/.exec(given) ?? /^(\d{1,9})$/.exec(given);
  if (match) return Number(match[1]);
  throw new Problem({
    status: 400,
    code: 'invalid_headers',
    detail: `If-Match: ${JSON.stringify(given.slice(0, 100))} is not a version; send the ETag of the entity, such as "3".`,
  });
}
