// The memory of a chat: its agent state, and the versions of its summary.

import { createRoute, z } from '@hono/zod-openapi';
import { schemas } from '@continuo/protocol';
import { readAgentState, readSummaries, readSummary } from '../../runs/reads/memory.ts';
import type { App } from '../app.ts';
import { scopeIn } from '../kernel/scope.ts';
import { json, notFound, problems } from '../kernel/shared.ts';
import { CHAT, chatIn, chatParam } from './chats.ts';

const tags = ['chats'];

export function chatMemoryRoutes(app: App): void {
  app.openapi(
    createRoute({
      method: 'get',
      path: `${CHAT}/state`,
      tags,
      summary: 'Read the agent state: what the agent knows, assumes and expects',
      request: { params: chatParam },
      responses: { 200: json(schemas.agentState, 'The agent state'), ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { id } = await chatIn(c, c.req.valid('param'));
      return c.json(await readAgentState((await scopeIn(c)).db, id), 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: `${CHAT}/summaries`,
      tags,
      summary: 'List the versions of the chat’s summary, newest first',
      request: { params: chatParam },
      responses: {
        200: json(z.object({ items: z.array(schemas.summary) }), 'The versions'),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { id } = await chatIn(c, c.req.valid('param'));
      return c.json({ items: await readSummaries((await scopeIn(c)).db, id) }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: `${CHAT}/summaries/{version}`,
      tags,
      summary: 'Read a version of the summary with what it replaced and what was lost',
      request: { params: chatParam.extend({ version: z.coerce.number().int().min(1).max(1_000_000) }) },
      responses: { 200: json(schemas.summaryVersion, 'The version'), ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { version, ...param } = c.req.valid('param');
      const { id } = await chatIn(c, param);
      const found = await readSummary((await scopeIn(c)).db, id, version);
      if (!found) throw notFound('summary', String(version));
      return c.json(found, 200);
    },
  );
}
