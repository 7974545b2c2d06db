// Threads and their messages.

import { createRoute, z } from '@hono/zod-openapi';
import { v7 as uuidv7 } from 'uuid';
import { schemas } from '@continuo/protocol';
import { insertThread, listMessages, listThreads, readThread } from '../../threads/read-threads.ts';
import { idempotencyHeader } from '../messages/accept-run.ts';
import type { App, HttpContext } from '../app.ts';
import { jsonBody } from '../kernel/body.ts';
import { scopeNamed, scopeOfThread } from '../kernel/scope.ts';
import { takeMessage } from '../messages/submit-message.ts';
import {
  body,
  idParam,
  invalidCursor,
  json,
  limitQuery,
  notFound,
  page,
  problems,
  refuseNul,
  timeCursor,
} from '../kernel/shared.ts';

const tags = ['threads'];

export function threadRoutes(app: App, context: HttpContext): void {
  const { bus, originOf } = context;

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/threads',
      tags,
      summary: 'Create a thread',
      middleware: jsonBody(),
      request: { body: body(schemas.newThread, false) },
      responses: { 201: json(schemas.thread, 'The thread'), ...problems(400, 404, 410, 413, 415) },
    }),
    async (c) => {
      const { title, workspace } = c.req.valid('json');
      refuseNul('title', title);
      const { db, workspaceId } = await scopeNamed(c, workspace);
      const thread = await insertThread(db, bus, { id: uuidv7(), workspaceId, title: title ?? null });
      originOf.remember(thread.id, { workspaceId, role: null, model: null });
      return c.json(thread, 201, { location: `/api/threads/${thread.id}` });
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/threads',
      tags,
      summary: 'List threads, newest first',
      request: {
        query: z.object({
          workspace: z
            .string()
            .min(1)
            .max(64)
            .optional()
            .openapi({ description: 'The id or the name of a workspace; `default` if absent.' }),
          after: z.string().optional(),
          limit: limitQuery,
        }),
      },
      responses: { 200: json(page(schemas.thread), 'A page of threads'), ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { workspace, after, limit } = c.req.valid('query');
      const cursor = after === undefined ? null : timeCursor(after);
      const { db, workspaceId } = await scopeNamed(c, workspace);
      return c.json(await listThreads(db, workspaceId, cursor, limit), 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/threads/{id}',
      tags,
      summary: 'Read a thread',
      request: { params: idParam },
      responses: { 200: json(schemas.thread, 'The thread'), ...problems(400, 404) },
    }),
    async (c) => {
      const { id } = c.req.valid('param');
      const { db } = await scopeOfThread(c, id);
      const thread = await readThread(db, id);
      if (!thread) throw notFound('thread', id);
      return c.json(thread, 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/threads/{id}/messages',
      tags,
      summary: 'Send a message; a run answers it',
      middleware: jsonBody(),
      request: {
        params: idParam,
        headers: idempotencyHeader,
        body: body(schemas.newMessage),
      },
      responses: {
        202: json(schemas.accepted, 'The message is stored and its run queued'),
        ...problems(400, 404, 409, 410, 413, 415, 422, 429),
      },
    }),
    async (c) => {
      const { id } = c.req.valid('param');
      const scope = await scopeOfThread(c, id);
      const { run, headers } = await takeMessage(context, scope, {
        threadId: id,
        origin: scope.origin,
        message: c.req.valid('json'),
        idempotencyKey: c.req.valid('header')['idempotency-key'] ?? null,
      });
      return c.json({ run }, 202, headers);
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/threads/{id}/messages',
      tags,
      summary: 'List messages, in the order of the conversation',
      request: { params: idParam, query: z.object({ after: z.string().optional(), limit: limitQuery }) },
      responses: { 200: json(page(schemas.message), 'A page of messages'), ...problems(400, 404) },
    }),
    async (c) => {
      const { id } = c.req.valid('param');
      const { after, limit } = c.req.valid('query');
      const { db } = await scopeOfThread(c, id);
      if (!(await readThread(db, id))) throw notFound('thread', id);
      const cursor = after === undefined ? { ordinal: 0, seq: -1 } : messageCursor(after);
      return c.json(await listMessages(db, id, cursor, limit), 200);
    },
  );
}

function messageCursor(given: string): { ordinal: number; seq: number } {
  const match = /^(\d{1,9})\.(\d{1,9}|20\d{8})$/.exec(given);
  if (!match) throw invalidCursor(given, 'is not the `next` of a page.');
  return { ordinal: Number(match[1]), seq: Number(match[2]) };
}
