// Chats: open with a goal, list, rename, archive, remove with a grace period, and send messages.

import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { v7 as uuidv7 } from 'uuid';
import { schemas, type Chat } from '@continuo/protocol';
import { changeChat, removeChat, restoreChat } from '../../runs/facts/change-chat.ts';
import { AUTONOMOUS_LIMITS, directiveOf, teamLedBy } from './chat-modes.ts';
import type { WorkspaceScope } from '../../identity/scope.ts';
import { listChats, readChat } from '../../threads/chats/read-chats.ts';
import { GRACE_DAYS } from '../../workspaces/workspaces.ts';
import { idempotencyHeader } from '../messages/accept-run.ts';
import type { App, HttpContext } from '../app.ts';
import { jsonBody } from '../kernel/body.ts';
import { takeMessage } from '../messages/submit-message.ts';
import { requireThreadScope } from '../messages/thread-scope.ts';
import { Problem } from '../kernel/problem.ts';
import { body, json, limitQuery, notFound, page, problems, refuseNul, timeCursor } from '../kernel/shared.ts';
import { cachedScopeIn, factWorld, scopeIn, workspaceParam } from '../kernel/scope.ts';

const tags = ['chats'];
export const chatParam = workspaceParam.extend({ chat: z.uuid() });
const CHATS = '/api/v1/workspaces/{id}/chats';
export const CHAT = `${CHATS}/{chat}` as const;

/** The chat in the URL, within the workspace in the URL. */
export async function chatIn(c: Context, { chat: chatId }: { chat: string }): Promise<Chat> {
  const { workspaceId, db } = await scopeIn(c);
  const chat = await readChat(db, workspaceId, chatId);
  if (chat?.removed_at === null) return chat;
  throw missing(chat, chatId);
}

/** The error for a chat that the workspace does not have: unknown, or removed. */
export async function noChat({ db, workspaceId }: WorkspaceScope, id: string): Promise<Problem> {
  return missing(await readChat(db, workspaceId, id), id);
}

function missing(chat: Chat | null, id: string): Problem {
  if (!chat) return notFound('chat', id);
  return new Problem({
    status: 410,
    code: 'chat_removed',
    detail:
      `The chat was removed. For ${GRACE_DAYS} days after its removal, ` +
      `POST /api/v1/workspaces/${chat.workspace_id}/chats/${chat.id}/restore restores it.`,
  });
}

export function chatRoutes(app: App, context: HttpContext): void {
  const { originOf } = context;
  const read = async ({ db, workspaceId }: WorkspaceScope, id: string): Promise<Chat> => {
    const chat = await readChat(db, workspaceId, id);
    if (chat) return chat;
    throw notFound('chat', id);
  };

  app.openapi(
    createRoute({
      method: 'post',
      path: CHATS,
      tags,
      summary: 'Open a chat with a goal; its first run starts at once',
      middleware: jsonBody(),
      request: { params: workspaceParam, headers: idempotencyHeader, body: body(schemas.newChat) },
      responses: {
        201: json(schemas.openedChat, 'The chat and its first run'),
        ...problems(400, 404, 410, 413, 415, 422),
      },
    }),
    async (c) => {
      const {
        goal,
        title = null,
        plan_id,
        done_when,
        agents,
        project_id,
        entity_id,
        ...rest
      } = c.req.valid('json');
      const { mode: asked, ...message } = rest;
      refuseNul('title', title ?? undefined);
      const scope = await scopeIn(c);
      const team = await teamLedBy(context, scope, message.role);
      // A lead brings its team in, unless the request says otherwise.
      const mode = asked ?? (team ? 'plan_then_execute' : 'chat_mode');
      const directive = await directiveOf(context, scope, { mode, plan_id, done_when, agents, team });
      const about = await requireThreadScope(context, scope, { project_id, entity_id });
      const threadId = uuidv7();
      const origin = {
        workspaceId: scope.workspaceId,
        role: message.role ?? null,
        model: message.model ?? null,
      };
      const { run, headers } = await takeMessage(context, scope, {
        threadId,
        origin,
        message: {
          content: goal,
          ...message,
          ...(mode === 'autonomous' && { limits: { ...AUTONOMOUS_LIMITS, ...message.limits } }),
        },
        about,
        idempotencyKey: c.req.valid('header')['idempotency-key'] ?? null,
        chat: { title, role: origin.role, model: origin.model, mode },
        ...(directive && { directive }),
      });
      if (run.thread_id === threadId) originOf.remember(threadId, origin);
      const chat = await read(scope, run.thread_id);
      return c.json({ chat, run }, 201, { ...headers, location: locationOf(chat) });
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: CHATS,
      tags,
      summary: 'List chats, latest message first',
      request: {
        params: workspaceParam,
        query: z.object({
          archived: flag('`true`: only archived chats.'),
          pinned: z
            .enum(['true', 'false'])
            .optional()
            .openapi({ description: '`true`: only pinned chats; `false`: only others.' }),
          removed: flag('`true`: only removed chats that can still be restored.'),
          state: schemas.sessionState.optional().openapi({ description: 'Only chats in this state.' }),
          parent_run: z
            .uuid()
            .optional()
            .openapi({ description: 'Only the chats that this run opened for its child runs.' }),
          after: z.string().optional(),
          limit: limitQuery,
        }),
      },
      responses: { 200: json(page(schemas.chat), 'A page of chats'), ...problems(400, 404, 410) },
    }),
    async (c) => {
      const {
        archived,
        pinned,
        removed,
        state = null,
        parent_run = null,
        after,
        limit,
      } = c.req.valid('query');
      const { workspaceId, db } = await scopeIn(c);
      const chats = await listChats(db, workspaceId, {
        archived: archived === 'true',
        pinned: pinned === undefined ? null : pinned === 'true',
        removed: removed === 'true',
        state,
        parentRun: parent_run,
        after: after === undefined ? null : timeCursor(after),
        limit,
      });
      return c.json(chats, 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: CHAT,
      tags,
      summary: 'Read a chat: its session, its open approvals, its usage',
      request: { params: chatParam },
      responses: { 200: json(schemas.chat, 'The chat'), ...problems(400, 404, 410) },
    }),
    async (c) => c.json(await chatIn(c, c.req.valid('param')), 200),
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: CHAT,
      tags,
      summary: 'Send the next message; a run answers it',
      middleware: jsonBody(),
      request: { params: chatParam, headers: idempotencyHeader, body: body(schemas.newMessage) },
      responses: {
        202: json(schemas.accepted, 'The message is stored and its run queued'),
        ...problems(400, 404, 409, 410, 413, 415, 422, 429),
      },
    }),
    async (c) => {
      const { chat } = c.req.valid('param');
      // A stale name is harmless: the message is refused if its chat is in another workspace, or the workspace was removed.
      const scope = await cachedScopeIn(c);
      const origin = await originOf(chat);
      if (origin?.workspaceId !== scope.workspaceId) throw notFound('chat', chat);
      const { run, headers } = await takeMessage(context, scope, {
        threadId: chat,
        origin,
        message: c.req.valid('json'),
        idempotencyKey: c.req.valid('header')['idempotency-key'] ?? null,
        missing: () => noChat(scope, chat),
      });
      return c.json({ run }, 202, headers);
    },
  );

  app.openapi(
    createRoute({
      method: 'patch',
      path: CHAT,
      tags,
      summary: 'Rename, archive or pin a chat',
      middleware: jsonBody({ limit: 16 * 1024 }),
      request: { params: chatParam, body: body(schemas.chatChange) },
      responses: { 200: json(schemas.chat, 'The chat'), ...problems(400, 404, 410, 413, 415) },
    }),
    async (c) => {
      const change = c.req.valid('json');
      refuseNul('title', change.title);
      const chat = await chatIn(c, c.req.valid('param'));
      await changeChat(factWorld(context, await scopeIn(c)), chat.id, change);
      return c.json(await chatIn(c, c.req.valid('param')), 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'delete',
      path: CHAT,
      tags,
      summary: 'Remove a chat',
      description: `Its open runs are canceled. It can be restored for ${GRACE_DAYS} days; then it is purged.`,
      request: { params: chatParam },
      responses: { 204: { description: 'The chat is removed' }, ...problems(400, 404, 410) },
    }),
    async (c) => {
      const chat = await chatIn(c, c.req.valid('param'));
      await removeChat(factWorld(context, await scopeIn(c)), chat.id);
      return c.body(null, 204);
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: `${CHAT}/restore`,
      tags,
      summary: 'Restore a removed chat',
      request: { params: chatParam },
      responses: { 200: json(schemas.chat, 'The chat'), ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { chat } = c.req.valid('param');
      const scope = await scopeIn(c);
      await read(scope, chat);
      await restoreChat(factWorld(context, scope), chat);
      return c.json(await read(scope, chat), 200);
    },
  );
}

function flag(description: string) {
  return z.enum(['true', 'false']).default('false').openapi({ description });
}

function locationOf(chat: Chat): string {
  return `/api/v1/workspaces/${chat.workspace_id}/chats/${chat.id}`;
}
