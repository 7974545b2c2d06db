// An agent's turn as one request: the client posts a message, and the response streams its run. A client can resume the stream.

import { createRoute, z } from '@hono/zod-openapi';
import { v7 as uuidv7 } from 'uuid';
import { agent, schemas } from '@continuo/protocol';
import { idempotencyHeader } from '../messages/accept-run.ts';
import type { App, HttpContext } from '../app.ts';
import { jsonBody } from '../kernel/body.ts';
import { takeMessage } from '../messages/submit-message.ts';
import { scopeOfMessage } from '../messages/thread-scope.ts';
import { scopeNamed, scopeOfThread } from '../kernel/scope.ts';
import { body, notFound, problems, refuseNul } from '../kernel/shared.ts';
import { cursorHeader, cursorIn } from '../streams/events-request.ts';
import { RETRY_MS } from '../streams/sse.ts';
import { findSource, resumeRun, streamRun } from '../streams/run-stream.ts';

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

const NO_DEFAULTS = { role: null, model: null };
const NEW_CHAT = { title: null, ...NO_DEFAULTS };
const stream = { description: 'The run', content: { 'text/event-stream': { schema: z.string() } } };

export function agentRoutes(app: App, context: HttpContext): void {
  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/agent/stream',
      tags,
      summary: 'Send a message and follow its run',
      description:
        'Server-sent events `session`, `agent_state`, `text_delta`, `tool_call`, `tool_result`, `operation`, `entity_patch`, `context_usage`, `error` and, last, `done`. ' +
        '`Content-Location` is the address at which the `Last-Event-ID` header resumes the stream; `reconnect` `{location}` instead of ' +
        '`done` means that the server is shutting down, and that the client should resume the stream.',
      middleware: jsonBody(),
      request: { headers: idempotencyHeader, body: body(schemas.agentMessage) },
      responses: { 200: stream, ...problems(400, 404, 410, 413, 415, 422, 429) },
    }),
    async (c) => {
      const {
        message,
        session_id,
        scope: askedScope,
        project_id,
        entity,
        workspace,
        ...chosen
      } = c.req.valid('json');
      refuseNul('role', chosen.role);
      refuseNul('model', chosen.model);
      const thread = session_id === undefined ? null : await scopeOfThread(c, session_id, 'session');
      const named = thread && workspace === undefined ? null : await scopeNamed(c, workspace);
      if (thread && named && named.workspaceId !== thread.workspaceId) throw notFound('session', session_id!);
      const scope = thread ?? named!;
      const about = await scopeOfMessage(context, scope, { scope: askedScope, project_id, entity });
      const threadId = session_id ?? uuidv7();
      const { run } = await takeMessage(context, scope, {
        threadId,
        origin: thread?.origin ?? NO_DEFAULTS,
        message: { content: message, ...chosen },
        // A new thread is about the whole workspace anyway.
        about: !thread && about?.project_id === null ? undefined : about,
        idempotencyKey: c.req.valid('header')['idempotency-key'] ?? null,
        ...(session_id === undefined && { chat: NEW_CHAT }),
      });
      const source = await findSource(context, scope.db, run.id);
      return streamRun(c, context, bindingOf(run.id), source, { 'content-location': locationOf(run.id) });
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/agent/stream/{run_id}',
      tags,
      summary: 'Follow a run as an agent’s turn',
      description:
        'Starts at the run’s beginning, or after `after` (or the `Last-Event-ID` header); the stream ends after `done`.',
      request: {
        params: z.object({ run_id: z.uuid() }),
        headers: cursorHeader,
        query: z.object({ after: z.string().optional() }),
      },
      responses: {
        200: stream,
        204: { description: 'The run has ended, and the cursor is at its end' },
        ...problems(400, 404),
      },
    }),
    (c) => {
      const given = cursorIn(c, c.req.valid('query').after);
      const { run_id } = c.req.valid('param');
      return resumeRun(c, context, bindingOf(run_id), run_id, given);
    },
  );
}
