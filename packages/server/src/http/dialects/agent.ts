// An agent's turn as one request: the client posts a message, and the response streams its run. A client can resume the stream.

import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { v7 as uuidv7 } from 'uuid';
import { agent, schemas } from '@continuo/protocol';
import { mayUse } from '../../identity/principal.ts';
import type { Origin } from '../../threads/origin-cache.ts';
import { idempotencyHeader } from '../messages/accept-run.ts';
import type { App, HttpContext } from '../app.ts';
import { jsonBody } from '../kernel/body.ts';
import { takeMessage } from '../messages/submit-message.ts';
import { findScope, resumeRun, streamRun } from './run-stream.ts';
import { body, notAvailable, notFound, problems, refuseNul } from '../kernel/shared.ts';
import { defaultWorkspace, workspaceIn } from '../routes/workspaces.ts';

const tags = ['agent'];

/**
 * When the server shuts down, a stream ends without `done`. Its last frame tells the client where to resume; the run continues on
 * another pod.
 */
function bindingOf(runId: string) {
  const data = JSON.stringify({ location: locationOf(runId) });
  return { dialect: agent, leaving: `event: reconnect\nretry: ${RETRY_MS}\ndata: ${data}\n\n` };
}

function locationOf(runId: string): string {
  return `/api/agent/stream/${runId}`;
}

/** Another pod takes the run over within 2 s. */
const RETRY_MS = 1000;
const NEW_CHAT = { title: null, role: null, model: null };
const stream = { description: 'The run', content: { 'text/event-stream': { schema: z.string() } } };

export function agentRoutes(app: App, context: HttpContext): void {
  const { pool, originOf } = context;
  const originIn = async (c: Context, workspace: string | undefined): Promise<Origin> => ({
    workspaceId: workspace === undefined ? defaultWorkspace(c) : (await workspaceIn(c, pool, workspace)).id,
    role: null,
    model: null,
  });

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/agent/stream',
      tags,
      summary: 'Send a message and follow its run',
      description:
        'Server-sent events `session`, `agent_state`, `text_delta`, `tool_call`, `tool_result`, `context_usage`, `error` and, last, `done`. ' +
        '`Content-Location` is where the stream can be taken up again with the `Last-Event-ID` header; `reconnect` `{location}` instead of ' +
        '`done` says that the server shuts down, and that the client should do so.',
      middleware: jsonBody(),
      request: { headers: idempotencyHeader, body: body(schemas.agentMessage) },
      responses: { 200: stream, ...problems(400, 404, 410, 413, 415, 422, 429) },
    }),
    async (c) => {
      const { message, session_id, scope, project_id, entity, workspace, ...chosen } = c.req.valid('json');
      if (scope !== 'global')
        throw notAvailable('scope', `${scope} is not available in this version; use global.`);
      if (project_id !== undefined)
        throw notAvailable('project_id', 'projects are not available in this version.');
      if (entity !== undefined) throw notAvailable('entity', 'entities are not available in this version.');
      refuseNul('role', chosen.role);
      refuseNul('model', chosen.model);
      const origin = session_id === undefined ? await originIn(c, workspace) : await originOf(session_id);
      if (!origin || !mayUse(c.get('principal'), origin.workspaceId)) throw notFound('session', session_id!);
      if (workspace !== undefined && (await workspaceIn(c, pool, workspace)).id !== origin.workspaceId)
        throw notFound('session', session_id!);
      const threadId = session_id ?? uuidv7();
      const { run } = await takeMessage(context, {
        threadId,
        origin,
        message: { content: message, ...chosen },
        idempotencyKey: c.req.valid('header')['idempotency-key'] ?? null,
        ...(session_id === undefined && { chat: NEW_CHAT }),
      });
      const place = await findScope(context, run.id);
      return streamRun(c, context, bindingOf(run.id), place, { 'content-location': locationOf(run.id) });
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/agent/stream/{run_id}',
      tags,
      summary: 'Follow a run as an agent’s turn',
      description:
        'From its beginning, or from `after` (or the `Last-Event-ID` header) on; the stream ends after `done`.',
      request: {
        params: z.object({ run_id: z.uuid() }),
        headers: z.object({ 'last-event-id': z.string().optional() }),
        query: z.object({ after: z.string().optional() }),
      },
      responses: {
        200: stream,
        204: { description: 'The run has ended, and the cursor is at its end' },
        ...problems(400, 404),
      },
    }),
    (c) => {
      const given = c.req.header('last-event-id') || c.req.valid('query').after || '0';
      const { run_id } = c.req.valid('param');
      return resumeRun(c, context, bindingOf(run_id), run_id, given);
    },
  );
}
