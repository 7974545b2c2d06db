// An agent's turn as one request: the message goes in, and its run comes out as a stream that can be taken up again.

import { createRoute, z } from '@hono/zod-openapi';
import { v7 as uuidv7 } from 'uuid';
import { agent, schemas } from '@continuo/protocol';
import { insertThread } from '../runs/read.ts';
import { DEFAULT_WORKSPACE } from '../workspace/workspaces.ts';
import { accept, idempotencyHeader } from './accept.ts';
import type { App, HttpContext } from './app.ts';
import { jsonBody } from './body.ts';
import { Problem } from './problem.ts';
import { findScope, resumeRun, streamRun } from './run-stream.ts';
import { body, notFound, problems } from './shared.ts';
import { agentIn } from './threads.ts';
import { workspaceIn } from './workspaces.ts';

const tags = ['agent'];
const SPOKEN = { dialect: agent };
const stream = { description: 'The run', content: { 'text/event-stream': { schema: z.string() } } };

export function agentRoutes(app: App, context: HttpContext): void {
  const { pool, workspaceOf } = context;

  /** The session's workspace, or that of the session to be made. */
  const workspaceFor = async (
    session: string | undefined,
    workspace: string | undefined,
  ): Promise<string> => {
    if (session === undefined)
      return workspace === undefined ? DEFAULT_WORKSPACE : (await workspaceIn(pool, workspace)).id;
    const found = await workspaceOf(session);
    if (found === null) throw notFound('session', session);
    return found;
  };

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/agent/stream',
      tags,
      summary: 'Send a message and follow its run',
      description:
        'Server-sent events `session`, `agent_state`, `text_delta`, `tool_call`, `tool_result`, `context_usage`, `error` and, last, `done`. ' +
        '`Content-Location` is where the stream can be taken up again with the `Last-Event-ID` header.',
      middleware: jsonBody(),
      request: { headers: idempotencyHeader, body: body(schemas.agentMessage) },
      responses: { 200: stream, ...problems(400, 404, 410, 413, 415, 422, 429) },
    }),
    async (c) => {
      const { message, session_id, scope, project_id, entity, workspace, ...chosen } = c.req.valid('json');
      if (scope !== 'global' || project_id !== undefined || entity !== undefined) throw scopeNotAvailable();
      const idempotencyKey = c.req.valid('header')['idempotency-key'] ?? null;
      if (idempotencyKey !== null && session_id === undefined) throw sessionRequired();
      const workspaceId = await workspaceFor(session_id, workspace);
      const answering = await agentIn(context, workspaceId, chosen);
      const threadId = session_id ?? uuidv7();
      if (session_id === undefined) {
        await insertThread(pool, workspaceId, threadId, null);
        workspaceOf.remember(threadId, workspaceId);
      }
      const { run } = await accept(context, {
        threadId,
        message: { content: message },
        model: answering.model.id,
        role: answering.role,
        limits: Object.keys(answering.limits).length === 0 ? null : answering.limits,
        chosen: { agent: chosen },
        idempotencyKey,
      });
      const place = await findScope(context, run.id);
      return streamRun(c, context, SPOKEN, place, { 'content-location': `/api/agent/stream/${run.id}` });
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
      return resumeRun(c, context, SPOKEN, c.req.valid('param').run_id, given);
    },
  );
}

function scopeNotAvailable(): Problem {
  return new Problem({
    status: 422,
    code: 'scope_not_available',
    detail:
      'This server has no projects and entities yet: leave `project_id` and `entity` out, and let `scope` be `global`.',
  });
}

/** Without it each request is about another thread. */
function sessionRequired(): Problem {
  return new Problem({
    status: 400,
    code: 'session_required',
    detail:
      'An Idempotency-Key needs a `session_id`: make a thread first (POST /api/threads), and give its id.',
  });
}
