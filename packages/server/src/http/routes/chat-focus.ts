// The focus of a chat: what its next message is about. Its pack is read at once, so that the message need not wait for it.

import { createRoute, z } from '@hono/zod-openapi';
import { schemas } from '@continuo/protocol';
import { estimateText } from '../../context/history.ts';
import { setFocus } from '../../threads/focus.ts';
import type { App, HttpContext } from '../app.ts';
import { jsonBody } from '../kernel/body.ts';
import { scopeIn } from '../kernel/scope.ts';
import { body, json, problems } from '../kernel/shared.ts';
import { scopeOfMessage } from '../messages/thread-scope.ts';
import { CHAT, chatIn, chatParam } from './chats.ts';

const wanted = schemas.agentMessage
  .pick({ scope: true, project_id: true, entity: true })
  .required({ scope: true })
  .meta({ id: 'NewFocus' });

const focus = z
  .object({
    scope: z.enum(['global', 'project', 'entity']),
    project_id: z.uuid().nullable(),
    entity: z.object({ type: z.string(), id: z.uuid() }).nullable(),
    parts: z
      .array(z.object({ kind: z.string(), tokens: z.int() }))
      .meta({ description: 'What a model would be told about it, with estimated tokens.' }),
    feed_seq: z
      .int()
      .nullable()
      .meta({ description: 'The position in the change feed that it was read at.' }),
  })
  .meta({ id: 'Focus' });

export function chatFocusRoutes(app: App, context: HttpContext): void {
  app.openapi(
    createRoute({
      method: 'post',
      path: `${CHAT}/focus`,
      tags: ['chats'],
      summary: 'Set what a chat’s next message is about, and read its context ahead',
      description:
        'The scope of the next message, unless that message names one itself. The body is like that of an agent message: `scope` with `project_id` or `entity`.',
      middleware: jsonBody({ limit: 16 * 1024 }),
      request: { params: chatParam, body: body(wanted) },
      responses: { 200: json(focus, 'What is in focus'), ...problems(400, 404, 410, 413, 415) },
    }),
    async (c) => {
      const chat = await chatIn(c, c.req.valid('param'));
      const where = await scopeIn(c);
      const scope = (await scopeOfMessage(context, where, c.req.valid('json')))!;
      await setFocus({ db: where.db, bus: context.bus }, chat.id, scope);
      const read = await context.packs.prewarm(where.workspaceId, scope, []);
      const { entityId, entityType } = read?.pack.focus ?? {};
      return c.json(
        {
          scope: read?.pack.scope ?? ('global' as const),
          project_id: scope.project_id,
          entity: entityId === undefined ? null : { id: entityId, type: entityType! },
          parts: (read?.parts ?? []).map(({ kind, text }) => ({ kind, tokens: estimateText(text) })),
          feed_seq: read?.feedSeq ?? null,
        },
        200,
      );
    },
  );
}
