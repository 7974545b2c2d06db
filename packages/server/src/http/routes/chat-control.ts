// Controls a chat's session: stop, pause, resume, ping.

import { createRoute, type z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { schemas } from '@continuo/protocol';
import { requestPause, requestResume } from '../../runs/facts/pause.ts';
import { ping } from '../../runs/facts/ping.ts';
import { requestStop } from '../../runs/facts/stop.ts';
import type { App, HttpContext } from '../app.ts';
import { CHAT, chatIn, chatParam } from './chats.ts';
import { Problem } from '../kernel/problem.ts';
import { factWorld, scopeIn } from '../kernel/scope.ts';
import { json, notFound, problems } from '../kernel/shared.ts';

const tags = ['chats'];

export function chatControlRoutes(app: App, context: HttpContext): void {
  const { config } = context;
  const chatAndWorld = async (c: Context, param: z.infer<typeof chatParam>) => ({
    id: (await chatIn(c, param)).id,
    world: factWorld(context, await scopeIn(c)),
  });

  app.openapi(
    createRoute({
      method: 'post',
      path: `${CHAT}/stop`,
      tags,
      summary: 'Stop a chat: its runs are canceled, its session ends',
      description:
        'The model call is aborted, a running tool may finish first, and queued runs are canceled. Idempotent. ' +
        'The next message starts a new session.',
      request: { params: chatParam },
      responses: { 200: json(schemas.chatStatus, 'The stop is accepted'), ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { id, world } = await chatAndWorld(c, c.req.valid('param'));
      const { asked, session } = await requestStop(world, id, 'user_cancelled');
      if (!asked && session !== 'cancelled') throw nothingToStop(session);
      return c.json({ status: 'cancelled' as const, chat_id: id }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: `${CHAT}/pause`,
      tags,
      summary: 'Pause a chat before its run’s next step',
      description: 'No pod owns a paused chat. The pause has no time limit and survives restarts.',
      request: { params: chatParam },
      responses: { 200: json(schemas.chatStatus, 'The pause is accepted'), ...problems(400, 404, 409, 410) },
    }),
    async (c) => {
      const { id, world } = await chatAndWorld(c, c.req.valid('param'));
      const paused = await requestPause(world, id);
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
      summary: 'Resume a paused chat',
      request: { params: chatParam },
      responses: { 200: json(schemas.chatStatus, 'The chat continues'), ...problems(400, 404, 409, 410) },
    }),
    async (c) => {
      const { id, world } = await chatAndWorld(c, c.req.valid('param'));
      const resumed = await requestResume(world, id);
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
        200: json(schemas.pinged, 'When the session completes unless something happens'),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { id, world } = await chatAndWorld(c, c.req.valid('param'));
      const pinged = await ping(world, id, config.actorInactivityTimeoutSeconds);
      if (!pinged) throw notFound('chat', id);
      const { state, expiresAt } = pinged;
      return c.json({ state, expires_at: expiresAt?.toISOString() ?? null }, 200);
    },
  );
}

function nothingToStop(session: string | null): Problem {
  const why = session === null ? 'has no session yet' : `has no open session: the last one is ${session}`;
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
