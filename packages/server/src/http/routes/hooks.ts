// The address of a trigger: anyone who knows it can start a run. The request needs no key; its response has only the run's id.

import { createRoute, z } from '@hono/zod-openapi';
import { schemas } from '@continuo/protocol';
import { REQUESTS_PER_MINUTE, type Fired } from '../../automation/triggers.ts';
import type { App, HttpContext } from '../app.ts';
import { readBytes } from '../kernel/body.ts';
import { Problem } from '../kernel/problem.ts';
import { json, problems } from '../kernel/shared.ts';

/** The largest body of a request, in bytes. */
const MOST_BYTES = 64 * 1024;

export function hookRoutes(app: App, { triggers }: HttpContext): void {
  app.openapi(
    createRoute({
      method: 'post',
      path: '/hooks/{token}',
      tags: ['triggers'],
      summary: 'Start a run through a trigger',
      description:
        `The body may be any text of at most ${MOST_BYTES} bytes; the agent gets it as data that nobody has checked. ` +
        `At most ${REQUESTS_PER_MINUTE} requests a minute. A repeated \`webhook-id\` or \`Idempotency-Key\` starts no second run for 24 hours.`,
      request: {
        params: z.object({ token: z.string() }),
        headers: z.object({
          'idempotency-key': z.string().min(1).max(200).optional(),
          'webhook-id': z.string().min(1).max(200).optional(),
        }),
      },
      responses: {
        202: json(schemas.triggered, 'The run is queued'),
        ...problems(401, 404, 409, 413, 422, 429),
      },
    }),
    async (c) => {
      const bytes = await readBytes(c, MOST_BYTES);
      const headers = c.req.valid('header');
      const fired = await triggers.fire({
        token: c.req.valid('param').token,
        body: new TextDecoder().decode(bytes),
        contentType: mediaType(c.req.header('content-type')),
        headers: c.req.header(),
        key: headers['webhook-id'] ?? headers['idempotency-key'] ?? null,
      });
      if (fired.kind !== 'started') throw refusal(fired);
      return c.json({ run_id: fired.runId }, 202);
    },
  );
}

/** Only a plain name: it becomes part of the message. */
function mediaType(header = ''): string {
  const [type = ''] = header.split(';', 1);
  return /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(type.trim()) ? type.trim() : 'of no declared type';
}

function refusal(fired: Exclude<Fired, { kind: 'started' }>): Problem {
  switch (fired.kind) {
    case 'unknown':
      return new Problem({
        status: 404,
        code: 'trigger_not_found',
        detail: 'There is no trigger at this address. It may have been removed, disabled or replaced.',
      });
    case 'too_many':
      return new Problem({
        status: 429,
        code: 'too_many_requests',
        detail: `The trigger accepts ${REQUESTS_PER_MINUTE} requests a minute; send this one again in ${fired.seconds} s.`,
        headers: { 'retry-after': String(fired.seconds) },
      });
    case 'not_signed':
      return new Problem({
        status: 401,
        code: 'signature_invalid',
        detail: `The request must be signed with the trigger’s secret, as Standard Webhooks describe it: ${fired.reason}.`,
      });
    case 'key_reused':
      return new Problem({
        status: 422,
        code: 'idempotency_key_reused',
        detail: 'Another request with this webhook-id or Idempotency-Key had another body; use a new one.',
      });
    case 'refused':
      return new Problem({
        status: 409,
        code: 'trigger_refused',
        detail: `The run could not be started: ${fired.reason}.`,
      });
  }
}
