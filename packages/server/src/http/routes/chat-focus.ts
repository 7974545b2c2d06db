// The focus of a chat: what its next message is about. Its pack is read at once, so that the message need not wait for it. And how much
// of the model's context window its last request used.

import { createRoute, z } from '@hono/zod-openapi';
import { schemas } from '@continuo/protocol';
import { estimateText, WINDOW_TOKENS } from '../../context/history.ts';
import { contextLimitOf } from '../../models/prices.ts';
import { readChatContext } from '../../runs/reads/chat-context.ts';
import { readAgentState } from '../../runs/reads/memory.ts';
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
  .extend({
    message: z
      .string()
      .max(4000)
      .optional()
      .meta({ description: 'The message that may be sent next, for `retrievalHints`.' }),
  })
  .meta({ id: 'NewFocus' });

const entityLine = z.object({
  id: z.uuid(),
  version: z.int(),
  kind: z.string(),
  title: z.string(),
  state: z.string().nullable(),
  path: z.string().nullable(),
});

const pack = z
  .object({
    scope: z.enum(['global', 'project', 'entity']),
    focus: z.object({
      projectId: z.uuid().optional(),
      projectName: z.string().optional(),
      entityId: z.uuid().optional(),
      entityType: z.string().optional(),
    }),
    systemInstructions: z.string().meta({
      description:
        'The layers of the system prompt. The role’s preamble, the workspace’s instructions and its skills come on top.',
    }),
    data: z.object({
      docStructure: z
        .object({ version: z.int(), root: z.array(z.unknown()).readonly(), below: z.int().optional() })
        .optional()
        .meta({
          description:
            'Of a project’s or an entity’s scope: the documents without their content, at most 4,000 tokens.',
        }),
      projectSummary: z
        .string()
        .optional()
        .meta({ description: 'In the global scope, a line about each project that changed recently.' }),
      entityDetails: z.record(z.string(), z.unknown()).optional(),
      linkedEntities: z
        .array(entityLine.extend({ rel: z.string(), outgoing: z.boolean() }))
        .readonly()
        .optional(),
      recentActivity: z.array(entityLine).readonly().optional(),
      agentState: schemas.agentState,
    }),
    retrievalHints: z
      .object({ keywords: z.array(z.string()).readonly(), docIds: z.array(z.uuid()).readonly() })
      .meta({ description: 'What the message is about, and the documents that would be loaded for it.' }),
    budgets: z.object({
      maxTokens: z.int().meta({ description: 'The context window of the chat’s model.' }),
      summaryTokens: z.int(),
      recentMessages: z.int(),
    }),
  })
  .meta({ id: 'ContextPack' });

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
    pack: pack.nullable().meta({ description: 'Null if the workspace’s policy lets no agent read it.' }),
  })
  .meta({ id: 'Focus' });

export function chatFocusRoutes(app: App, context: HttpContext): void {
  app.openapi(
    createRoute({
      method: 'get',
      path: `${CHAT}/context`,
      tags: ['chats'],
      summary: 'Read what a chat has in focus, and how full its model’s context window is',
      description:
        'Read from the manifest of the last request for an answer. `GET /api/runs/{id}/context` rebuilds that request with its texts.',
      request: { params: chatParam },
      responses: {
        200: json(schemas.chatContext, 'Focus and use of the window'),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { id: threadId } = await chatIn(c, c.req.valid('param'));
      const { db, workspaceId } = await scopeIn(c);
      return c.json(await readChatContext(db, { workspaceId, threadId }), 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: `${CHAT}/focus`,
      tags: ['chats'],
      summary: 'Set what a chat’s next message is about, and load its context in advance',
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
      const read = await context.packs.prewarm({
        workspaceId: where.workspaceId,
        scope,
        permissions: [],
        message: c.req.valid('json').message ?? '',
        agentState: await readAgentState(where.db, chat.id),
        maxTokens: contextLimitOf(chat.model ?? context.models.default) ?? WINDOW_TOKENS,
      });
      const { entityId, entityType } = read?.pack.focus ?? {};
      return c.json(
        {
          scope: read?.pack.scope ?? ('global' as const),
          project_id: scope.project_id,
          entity: entityId === undefined ? null : { id: entityId, type: entityType! },
          parts: (read?.parts ?? []).map(({ kind, text }) => ({ kind, tokens: estimateText(text) })),
          feed_seq: read?.feedSeq ?? null,
          pack: read?.pack ?? null,
        },
        200,
      );
    },
  );
}
