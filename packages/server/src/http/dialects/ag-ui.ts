// The AG-UI endpoint: accepts the requests of AG-UI's `HttpAgent`, and answers with its event stream.

import { createRoute, z } from '@hono/zod-openapi';
import { agUi } from '@continuo/protocol';
import type { App, HttpContext } from '../app.ts';
import {
  answerAll,
  clientChoices,
  clientName,
  clientPart,
  conversationBody,
  conversationOf,
  noMessageToAnswer,
  respond,
  runFor,
  textIn,
  threadOf,
  workspaceQuery,
  type Answer,
} from './foreign-clients.ts';
import { SOMETIMES_PERSON } from '../kernel/person.ts';
import { Problem } from '../kernel/problem.ts';
import { readRun, type StoredRun } from '../../runs/reads/read-runs.ts';
import { body, notFound, problems } from '../kernel/shared.ts';
import { cursorHeader } from '../streams/events-request.ts';

const message = z.looseObject({
  id: clientName,
  role: z.string(),
  content: z.union([z.string(), z.array(clientPart)]).optional(),
});

const resumeEntry = z.looseObject({
  interruptId: z.string(),
  status: z.enum(['resolved', 'cancelled']),
  payload: z
    .looseObject({
      approved: z.boolean(),
      input: z.record(z.string(), z.unknown()).optional(),
      comment: z.string().max(2000).optional(),
    })
    .optional()
    .openapi({
      description: 'For a resolved interrupt: `approved`, and the fields of its `responseSchema`.',
    }),
});

const runAgentInput = z
  .looseObject({
    threadId: clientName.openapi({
      description: 'The id of a thread, or the client’s own name for it.',
    }),
    runId: clientName.openapi({
      description: 'The client’s name for the run. Repeating a name returns the same run.',
    }),
    messages: z.array(message).openapi({
      description:
        'The conversation. The server reads only its last message, a person’s, which the run answers.',
    }),
    forwardedProps: clientChoices
      .nullish()
      .openapi({ description: 'Settings of the run: `role`, `model`, `limits`, `policy`.' }),
    resume: z.array(resumeEntry).optional(),
  })
  .openapi('RunAgentInput');

const stream = { description: 'AG-UI events', content: { 'text/event-stream': { schema: z.string() } } };
const atEnd = { description: 'The run has ended, and the cursor is at its end' };

/** `content-location` is the address at which the client can resume this run. */
function bindingOf(names: { readonly threadId: string; readonly runId: string }, { id }: StoredRun) {
  const query = new URLSearchParams({ ...names, run: id });
  return { alone: true, headers: { 'content-location': `/api/ag-ui?${query.toString()}` } } as const;
}

export function agUiRoutes(app: App, context: HttpContext): void {
  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/ag-ui',
      tags: ['clients'],
      summary: 'Run an agent as AG-UI’s HttpAgent does',
      description:
        'A run that waits for approval finishes with interrupts; a run that resumes them continues it. ' +
        'A client that disconnects stops nothing; repeating the `runId` replays the run, after `Last-Event-ID` if that is given. ' +
        '`Content-Location` is the address at which a GET resumes the stream. Resuming an interrupt needs a person.',
      security: SOMETIMES_PERSON,
      middleware: conversationBody,
      request: { headers: cursorHeader, query: workspaceQuery, body: body(runAgentInput) },
      responses: {
        200: stream,
        204: atEnd,
        ...problems(400, 403, 404, 409, 410, 413, 415, 422, 429),
      },
    }),
    async (c) => {
      const { threadId, runId, messages, forwardedProps, resume = [] } = c.req.valid('json');
      const thread = await threadOf(context, c, c.req.valid('query').workspace, threadId);
      const dialect = agUi({ threadId, runId, messages: conversationOf(c) });
      const after = c.req.header('last-event-id') || undefined;
      const answers = resume.map(answerOf);
      const last = messages.at(-1);
      const content = last?.role === 'user' ? contentOf(last) : null;
      const resumed = await answerAll(context, c, thread, answers, 'refused');
      if (last && content !== null) {
        const asked = {
          id: last.id,
          content,
          again: 'unless_open',
          run: runId,
          chosen: forwardedProps ?? {},
        } as const;
        const run = await runFor(context, thread, asked);
        return respond(context, c, thread.scope, {
          run,
          dialect,
          binding: bindingOf({ threadId, runId }, run),
          after,
        });
      }
      if (!resumed) throw noMessageToAnswer();
      const answered = answers.map(({ approval }) => approval);
      const binding = bindingOf({ threadId, runId }, resumed);
      return respond(context, c, thread.scope, { run: resumed, dialect, binding, answered, after });
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/ag-ui',
      tags: ['clients'],
      summary: 'Follow a run that an AG-UI client started',
      description:
        'Starts at the run’s beginning, or after `after` (or the `Last-Event-ID` header). The client does not send its conversation here: if a ' +
        'message is superseded, it gets `CUSTOM superseded {messageId}` instead of a snapshot of the messages.',
      request: {
        headers: cursorHeader,
        query: workspaceQuery.extend({
          threadId: clientName,
          runId: clientName,
          run: z.uuid().openapi({ description: 'The server’s id of the run, as in `Content-Location`.' }),
          after: z.string().optional(),
        }),
      },
      responses: { 200: stream, 204: atEnd, ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { workspace, threadId, runId, run: id, after } = c.req.valid('query');
      const thread = await threadOf(context, c, workspace, threadId);
      const run = await readRun(thread.scope.db, id);
      if (run?.thread_id !== thread.id) throw notFound('run', id);
      const dialect = agUi({ threadId, runId, messages: null });
      const cursor = c.req.header('last-event-id') || after;
      const binding = bindingOf({ threadId, runId }, run);
      return respond(context, c, thread.scope, { run, dialect, binding, after: cursor });
    },
  );
}

function contentOf({ content = '' }: z.infer<typeof message>): string {
  return textIn(typeof content === 'string' ? [{ type: 'text', text: content }] : content);
}

function answerOf({ interruptId, status, payload }: z.infer<typeof resumeEntry>): Answer {
  if (status === 'cancelled') return { approval: interruptId, approved: false };
  if (payload) {
    const { approved, input, comment } = payload;
    return { approval: interruptId, approved, input, comment };
  }
  throw new Problem({
    status: 400,
    code: 'invalid_body',
    detail: `resume: ${interruptId} is resolved without a payload; send {"approved": true} or {"approved": false}.`,
  });
}
