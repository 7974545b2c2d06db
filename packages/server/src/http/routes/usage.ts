// Token usage and cost of runs: sums of the whole server, and of a workspace over time.

import { createRoute, z } from '@hono/zod-openapi';
import { schemas } from '@continuo/protocol';
import { isTimeZone, notATimeZone } from '../../automation/times.ts';
import { sumUsage } from '../../runs/reads/usage.ts';
import {
  MOST_BUCKETS,
  readBuckets,
  readUsageOverTime,
  USAGE_BUCKETS,
  USAGE_KEYS,
} from '../../runs/reads/usage-over-time.ts';
import type { App } from '../app.ts';
import { Problem } from '../kernel/problem.ts';
import { scopeIn, serverScope, workspaceParam } from '../kernel/scope.ts';
import { json, limitQuery, page, problems } from '../kernel/shared.ts';

/** The time that is shown if the request names none. */
const DAYS_SHOWN = 30;
const time = z.iso.datetime({ offset: true });

export function usageRoutes(app: App): void {
  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/usage',
      tags: ['usage'],
      summary: 'Sum tokens and cost by run, thread, role or model',
      request: {
        query: z.object({
          by: z.enum(['run', 'thread', 'role', 'model']).default('model'),
          thread_id: z.uuid().optional(),
          limit: limitQuery,
        }),
      },
      responses: { 200: json(page(schemas.usageSum), 'The largest sums first'), ...problems(400) },
    }),
    async (c) => {
      const { by, thread_id, limit } = c.req.valid('query');
      const { db, only } = serverScope(c);
      const sums = await sumUsage(db, by, { threadId: thread_id ?? null, workspaceId: only, limit });
      return c.json({ items: sums, next: null }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/workspaces/{id}/usage',
      tags: ['usage'],
      summary: 'Tokens and cost over time, by model, role, project or chat',
      description:
        `In at most ${MOST_BUCKETS} buckets. A run counts in the bucket in which it was queued, once it has ended; a title or a summary when it was made. ` +
        'The ten keys with the most tokens have a series each; `others` sums up the rest.',
      request: {
        params: workspaceParam,
        query: z.object({
          by: z.enum(USAGE_KEYS).default('model'),
          from: time.optional().openapi({ description: `Default: ${DAYS_SHOWN} days before \`to\`.` }),
          to: time.optional().openapi({ description: 'Default: now.' }),
          bucket: z.enum(USAGE_BUCKETS).default('day'),
          time_zone: z.string().max(64).default('UTC').openapi({
            description: 'Where days, weeks (from Monday) and months begin.',
            example: 'Europe/Berlin',
          }),
        }),
      },
      responses: { 200: json(schemas.usageOverTime, 'The series'), ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { by, bucket, time_zone: timeZone, ...range } = c.req.valid('query');
      if (!isTimeZone(timeZone)) throw invalid('time_zone', notATimeZone(timeZone));
      const to = range.to === undefined ? new Date() : new Date(range.to);
      const from =
        range.from === undefined ? new Date(to.getTime() - DAYS_SHOWN * 86_400_000) : new Date(range.from);
      if (from >= to) throw invalid('from', 'must be before `to`');
      if (from.getUTCFullYear() < 1) throw invalid('from', 'must not be before the year 1');
      const { db, workspaceId } = await scopeIn(c);
      const query = { by, from, to, bucket, timeZone };
      const buckets = await readBuckets(db, query);
      if (buckets.length > MOST_BUCKETS)
        throw new Problem({
          status: 400,
          code: 'too_many_buckets',
          detail: `These are more than ${MOST_BUCKETS} buckets of one ${bucket}; ask for a shorter time or for longer buckets.`,
          extra: { limit: MOST_BUCKETS },
        });
      return c.json(await readUsageOverTime(db, workspaceId, query, buckets), 200);
    },
  );
}

function invalid(path: string, message: string): Problem {
  return new Problem({
    status: 400,
    code: 'invalid_query',
    detail: `${path}: ${message}.`,
    extra: { errors: [{ path, message }] },
  });
}
