// The audit of a chat: all messages, thoughts and calls, its sessions, and its digest.

import { createRoute, z } from '@hono/zod-openapi';
import { schemas } from '@continuo/protocol';
import { readDigest } from '../../planning/digest.ts';
import { listChatMessages, listSessions } from '../../threads/chats/read-chats.ts';
import type { App } from '../app.ts';
import { scopeIn } from '../kernel/scope.ts';
import { CHAT, chatIn, chatParam } from './chats.ts';
import { Problem } from '../kernel/problem.ts';
import {
  invalidCursor,
  json,
  limitQuery,
  MOST_VERSIONS,
  page,
  problems,
  timeCursor,
  wholeNumber,
} from '../kernel/shared.ts';

const tags = ['chats'];
const query = z.object({ after: z.string().optional(), limit: limitQuery });

export function chatAuditRoutes(app: App): void {
  app.openapi(
    createRoute({
      method: 'get',
      path: `${CHAT}/messages`,
      tags,
      summary: 'Read the audit trail: messages, thoughts and calls, in the order of the log',
      request: { params: chatParam, query },
      responses: {
        200: json(page(schemas.chatMessage), 'A page of the audit trail'),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { after, limit } = c.req.valid('query');
      const { id } = await chatIn(c, c.req.valid('param'));
      const cursor = after === undefined ? { seq: 0, part: -1 } : auditCursor(after);
      return c.json(await listChatMessages((await scopeIn(c)).db, id, cursor, limit), 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: `${CHAT}/sessions`,
      tags,
      summary: 'List the sessions of the chat, newest first',
      request: { params: chatParam, query },
      responses: { 200: json(page(schemas.session), 'A page of sessions'), ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { after, limit } = c.req.valid('query');
      const { id } = await chatIn(c, c.req.valid('param'));
      const cursor = after === undefined ? null : timeCursor(after);
      return c.json(await listSessions((await scopeIn(c)).db, id, cursor, limit), 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: `${CHAT}/digest`,
      tags,
      summary: 'Read a digest of the chat: what happened, what changed, what it cost, and what it needs',
      description:
        'For a person who returns. Computed from the log: no model is asked. `after` is an event of the chat (the `seq` of the last digest), `since` a time; without either, the digest is about the whole chat. Child runs are included.',
      request: {
        params: chatParam,
        query: z.object({
          after: wholeNumber(0, MOST_VERSIONS).optional(),
          since: z.iso.datetime({ offset: true }).optional(),
        }),
      },
      responses: { 200: json(schemas.chatDigest, 'The digest'), ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { after, since } = c.req.valid('query');
      if (after !== undefined && since !== undefined)
        throw new Problem({
          status: 400,
          code: 'invalid_query',
          detail: 'The digest begins after an event or after a time: give `after` or `since`, not both.',
        });
      const { id, state } = await chatIn(c, c.req.valid('param'));
      const { db } = await scopeIn(c);
      return c.json(await readDigest(db, { chatId: id, state, after, since }), 200);
    },
  );
}

function auditCursor(given: string): { seq: number; part: number } {
  const match = /^(\d{1,9})\.(-1|\d{1,9})$/.exec(given);
  if (!match) throw invalidCursor(given, 'is not the `next` of a page.');
  return { seq: Number(match[1]), part: Number(match[2]) };
}
