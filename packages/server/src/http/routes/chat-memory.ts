// The memory of a chat: its agent state, and the versions of its summary.

import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { schemas, type AgentStateChange } from '@continuo/protocol';
import { editAgentState } from '../../runs/facts/edit-state.ts';
import { readAgentState, readSummaries, readSummary } from '../../runs/reads/memory.ts';
import type { App, HttpContext } from '../app.ts';
import { jsonBody } from '../kernel/body.ts';
import { Problem } from '../kernel/problem.ts';
import { factWorld, scopeIn } from '../kernel/scope.ts';
import { body, json, notFound, problems } from '../kernel/shared.ts';
import { CHAT, chatIn, chatParam } from './chats.ts';

const tags = ['chats'];

export function chatMemoryRoutes(app: App, context: HttpContext): void {
  const edit = async (c: Context, param: z.infer<typeof chatParam>, change: AgentStateChange | null) => {
    const { id } = await chatIn(c, param);
    const scope = await scopeIn(c);
    const edited = await editAgentState(factWorld(context, scope), id, change);
    if (!edited.ok) throw notEdited(edited.why);
    return { state: await readAgentState(scope.db, id), refused: [...edited.refused] };
  };

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
      method: 'patch',
      path: `${CHAT}/state`,
      tags,
      summary: 'Change the agent state',
      description:
        'Item updates are applied first, then state updates. Invalid updates are refused; the others are applied. The response is sent once the change is in the chat’s log.',
      middleware: jsonBody({ limit: 256 * 1024 }),
      request: { params: chatParam, body: body(schemas.agentStateChange) },
      responses: {
        200: json(schemas.agentStateEdited, 'The state, and the updates that were refused'),
        ...problems(400, 404, 410, 413, 415, 429, 503),
      },
    }),
    async (c) => {
      return c.json(await edit(c, c.req.valid('param'), c.req.valid('json')), 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'delete',
      path: `${CHAT}/state`,
      tags,
      summary: 'Clear the agent state',
      request: { params: chatParam },
      responses: {
        200: json(schemas.agentStateEdited, 'The empty state'),
        ...problems(400, 404, 410, 429, 503),
      },
    }),
    async (c) => c.json(await edit(c, c.req.valid('param'), null), 200),
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

function notEdited(why: 'too_many' | 'not_yet'): Problem {
  if (why === 'too_many')
    return new Problem({
      status: 429,
      code: 'too_many_edits',
      detail: '100 changes of this agent state wait to be applied. Try again later.',
    });
  return new Problem({
    status: 503,
    code: 'not_applied_yet',
    detail:
      'The change is stored, but the chat’s owner has not applied it within 20 s. GET …/state shows when it has.',
  });
}
