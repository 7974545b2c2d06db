// Chats: open with a goal, list, rename, archive, remove with a grace period, and send messages.

import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { v7 as uuidv7 } from 'uuid';
import { schemas, type Chat } from '@continuo/protocol';
import { changeChat, removeChat, restoreChat } from '../../runs/facts/change-chat.ts';
import { FILES_CHANGED } from '../../files/topics.ts';
import { mayUse } from '../../identity/principal.ts';
import { listChats, readChat } from '../../threads/chats/read-chats.ts';
import { GRACE_DAYS } from '../../workspaces/workspaces.ts';
import { idempotencyHeader } from '../messages/accept-run.ts';
import type { App, HttpContext } from '../app.ts';
import { jsonBody } from '../kernel/body.ts';
import { takeMessage } from '../messages/submit-message.ts';
import { Problem } from '../kernel/problem.ts';
import {
  body,
  json,
  limitQuery,
  notAvailable,
  notFound,
  page,
  problems,
  refuseNul,
  timeCursor,
} from '../kernel/shared.ts';
import { scopeIn } from '../kernel/scope.ts';
import { workspaceIn, workspaceParam } from './workspaces.ts';

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
export async function noChat({ pool }: HttpContext, workspaceId: string, id: string): Promise<Problem> {
  return missing(await readChat(pool, workspaceId, id), id);
}

function missing(chat: Chat | null, id: string): Problem {
  if (!chat) return notFound('chat', id);
  return new Problem({
    status: 410,
    code: 'chat_removed',
    detail:
      `The chat was removed. For ${GRACE_DAYS} days after that, ` +
      `POST /api/v1/workspaces/${chat.workspace_id}/chats/${chat.id}/restore brings it back.`,
  });
}

export function chatRoutes(app: App, context: HttpContext): void {
  const { pool, originOf, bus } = context;
  // Caches workspace ids by name. A stale entry is harmless: a message finds its chat by id, and is refused if the chat is in
  // another workspace.
  const named = new Map<string, string>();
  const forget = () => named.clear();
  bus.subscribe(FILES_CHANGED, { message: forget, rescan: forget });
  const idOf = async (c: Context, given: string): Promise<string> => {
    const known = named.get(given);
    const id =
      known !== undefined && mayUse(c.get('principal'), known)
        ? known
        : (await workspaceIn(c, pool, given)).id;
    named.set(given, id);
    return id;
  };
  const read = async (workspaceId: string, id: string): Promise<Chat> => {
    const chat = await readChat(pool, workspaceId, id);
    if (chat) return chat;
    throw notFound('chat', id);
  };

  app.openapi(
    createRoute({
      method: 'post',
      path: CHATS,
      tags,
      summary: 'Open a chat with a goal; a run begins at once',
      middleware: jsonBody(),
      request: { params: workspaceParam, headers: idempotencyHeader, body: body(schemas.newChat) },
      responses: {
        201: json(schemas.openedChat, 'The chat and its first run'),
        ...problems(400, 404, 410, 413, 415, 422),
      },
    }),
    async (c) => {
      const { goal, title = null, mode, plan_id, ...message } = c.req.valid('json');
      refuseNul('title', title ?? undefined);
      refuseModes(mode, plan_id);
      const workspace = await workspaceIn(c, pool, c.req.valid('param').id);
      const threadId = uuidv7();
      const origin = {
        workspaceId: workspace.id,
        role: message.role ?? null,
        model: message.model ?? null,
      };
      const { run, headers } = await takeMessage(context, {
        threadId,
        origin,
        message: { content: goal, ...message },
        idempotencyKey: c.req.valid('header')['idempotency-key'] ?? null,
        chat: { title, role: origin.role, model: origin.model },
      });
      if (run.thread_id === threadId) originOf.remember(threadId, origin);
      const chat = await read(workspace.id, run.thread_id);
      return c.json({ chat, run }, 201, { ...headers, location: locationOf(chat) });
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: CHATS,
      tags,
      summary: 'List chats, the one that was last spoken to first',
      request: {
        params: workspaceParam,
        query: z.object({
          archived: flag('`true`: those that were put away.'),
          removed: flag('`true`: those that can still be brought back.'),
          state: schemas.sessionState.optional().openapi({ description: 'Only those in this state.' }),
          after: z.string().optional(),
          limit: limitQuery,
        }),
      },
      responses: { 200: json(page(schemas.chat), 'A page of chats'), ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { archived, removed, state = null, after, limit } = c.req.valid('query');
      const { workspaceId, db } = await scopeIn(c);
      const chats = await listChats(db, workspaceId, {
        archived: archived === 'true',
        removed: removed === 'true',
        state,
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
      summary: 'Read a chat: its session, what it waits for, what it used',
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
      const { id, chat } = c.req.valid('param');
      const workspaceId = await idOf(c, id);
      const origin = await originOf(chat);
      if (origin?.workspaceId !== workspaceId) throw notFound('chat', chat);
      const { run, headers } = await takeMessage(context, {
        threadId: chat,
        origin,
        message: c.req.valid('json'),
        idempotencyKey: c.req.valid('header')['idempotency-key'] ?? null,
        missing: () => noChat(context, workspaceId, chat),
      });
      return c.json({ run }, 202, headers);
    },
  );

  app.openapi(
    createRoute({
      method: 'patch',
      path: CHAT,
      tags,
      summary: 'Rename a chat, or put it away',
      middleware: jsonBody({ limit: 16 * 1024 }),
      request: { params: chatParam, body: body(schemas.chatChange) },
      responses: { 200: json(schemas.chat, 'The chat'), ...problems(400, 404, 410, 413, 415) },
    }),
    async (c) => {
      const change = c.req.valid('json');
      refuseNul('title', change.title);
      const chat = await chatIn(c, c.req.valid('param'));
      await changeChat(context, chat.id, change);
      return c.json(await chatIn(c, c.req.valid('param')), 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'delete',
      path: CHAT,
      tags,
      summary: 'Remove a chat',
      description: `Its open runs are canceled. For ${GRACE_DAYS} days it can be brought back; then it is deleted for good.`,
      request: { params: chatParam },
      responses: { 204: { description: 'The chat is removed' }, ...problems(400, 404, 410) },
    }),
    async (c) => {
      const chat = await chatIn(c, c.req.valid('param'));
      await removeChat(context, chat.id);
      return c.body(null, 204);
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: `${CHAT}/restore`,
      tags,
      summary: 'Bring a removed chat back',
      request: { params: chatParam },
      responses: { 200: json(schemas.chat, 'The chat'), ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { id, chat } = c.req.valid('param');
      const workspace = await workspaceIn(c, pool, id);
      await read(workspace.id, chat);
      await restoreChat(context, chat);
      return c.json(await read(workspace.id, chat), 200);
    },
  );
}

function flag(description: string) {
  return z.enum(['true', 'false']).default('false').openapi({ description });
}

function locationOf(chat: Chat): string {
  return `/api/v1/workspaces/${chat.workspace_id}/chats/${chat.id}`;
}

/** Refuses modes that only a later version supports. */
function refuseModes(mode: Chat['mode'], plan: string | undefined): void {
  if (mode !== 'chat_mode')
    throw notAvailable('mode', `${mode} is not available in this version; the only mode is chat_mode.`);
  if (plan !== undefined)
    throw notAvailable('plan_id', 'plans are not available in this version; leave it out.');
}
