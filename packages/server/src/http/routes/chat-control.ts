// Controls a chat's session: stop, pause, resume, ping.

import { createRoute } from '@hono/zod-openapi';
import { schemas } from '@continuo/protocol';
import { requestPause, requestResume } from '../../runs/facts/pause.ts';
import { ping } from '../../runs/facts/ping.ts';
import { requestStop } from '../../runs/facts/stop.ts';
import type { App, HttpContext } from '../app.ts';
import { CHAT, chatIn, chatParam } from './chats.ts';
import { Problem } from '../kernel/problem.ts';
import { json, notFound, problems } from '../kernel/shared.ts';

const tags = ['chats'];

export function chatControlRoutes(app: App, context: HttpContext): void {
  const { config } = context;

  app.openapi(
    createRoute({
      method: 'post',
      path: `${CHAT}/stop`,
      tags,
      summary: 'Stop a chat: its runs are canceled, its session ends',
      description:
        'The model’s call is aborted, a running tool finishes first, queued runs are canceled. Repeating it is fine. ' +
        'The next message starts a new session.',
      request: { params: chatParam },
      responses: { 200: json(schemas.chatStatus, 'The stop is accepted'), ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { id } = await chatIn(c, c.req.valid('param'));
      const { asked, session } = await requestStop(context, id, 'user_cancelled');
      if (!asked && session !== 'cancelled') throw nothingToStop(session);
      return c.json({ status: 'cancelled' as const, chat_id: id }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: `${CHAT}/pause`,
      tags,
      summary: 'Pause a chat at its run’s next step',
      description: 'A paused chat is held by nobody, for as long as need be; it survives restarts.',
      request: { params: chatParam },
      responses: { 200: json(schemas.chatStatus, 'The pause is accepted'), ...problems(400, 404, 409, 410) },
    }),
    async (c) => {
      const { id } = await chatIn(c, c.req.valid('param'));
      const paused = await requestPause(context, id);
      if (!paused.ok) throw notAllowed(paused.problem);
      const status = paused.session === 'paused' ? ('paused' as const) : ('pausing' as const);
      return c.json({ status, chat_id: id }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: `${CHAT}/resume`,
      tags,
      summary: 'Go on with a paused chat',
      request: { params: chatParam },
      responses: { 200: json(schemas.chatStatus, 'It goes on'), ...problems(400, 404, 409, 410) },
    }),
    async (c) => {
      const { id } = await chatIn(c, c.req.valid('param'));
      const resumed = await requestResume(context, id);
      if (!resumed.ok) throw notAllowed(resumed.problem);
      return c.json({ status: 'running' as const, chat_id: id }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: `${CHAT}/ping`,
      tags,
      summary: 'Keep an idle session alive',
      request: { params: chatParam },
      responses: {
        200: json(schemas.pinged, 'When the session completes if nothing happens'),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { id } = await chatIn(c, c.req.valid('param'));
      const pinged = await ping(context, id, config.actorInactivityTimeoutSeconds);
      if (!pinged) throw notFound('chat', id);
      const { state, expiresAt } = pinged;
      return c.json({ state, expires_at: expiresAt?.toISOString() ?? null }, 200);
    },
  );
}

function nothingToStop(session: string | null): Problem {
  const why = session === null ? 'has no session yet' : `has no live session: the last one is ${session}`;
  return new Problem({
    status: 404,
    code: 'nothing_to_stop',
    detail: `The chat ${why}. A message starts a new one.`,
  });
}

function notAllowed(problem: string): Problem {
  return new Problem({
    status: 409,
    code: 'invalid_transition',
    detail: `${problem[0]!.toUpperCase()}${problem.slice(1)}.`,
  });
}
