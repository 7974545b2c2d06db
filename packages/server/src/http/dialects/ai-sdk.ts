// The AI SDK's chat endpoint: accepts the requests of `DefaultChatTransport` (and so of `useChat`), and answers with its stream.

import { createRoute, z } from '@hono/zod-openapi';
import { aiSdk } from '@continuo/protocol';
import { readRun, type StoredRun } from '../../runs/reads/read-runs.ts';
import { readThread } from '../../threads/read-threads.ts';
import { requestStop } from '../../runs/facts/stop.ts';
import type { App, HttpContext } from '../app.ts';
import {
  answerAll,
  clientChoices,
  clientName,
  clientPart,
  conversationBody,
  noMessageToAnswer,
  respond,
  runFor,
  textIn,
  threadOf,
  workspaceQuery,
  type Answer,
} from './foreign-clients.ts';
import { SOMETIMES_PERSON } from '../kernel/person.ts';
import { factWorld } from '../kernel/scope.ts';
import { body, json, notFound, problems } from '../kernel/shared.ts';
import { cursorHeader } from '../streams/events-request.ts';

const tags = ['clients'];

/** `content-location` is the address at which the client can resume this run. */
const bindingOf = (chat: string, { id }: StoredRun) => ({
  headers: {
    'x-vercel-ai-ui-message-stream': 'v1',
    'content-location': `/api/chat/${encodeURIComponent(chat)}/stream?run=${id}`,
  },
  closing: 'data: [DONE]\n\n',
});

const uiMessage = z.looseObject({ id: clientName, role: z.string(), parts: z.array(clientPart) });
type UiMessage = z.infer<typeof uiMessage>;

const chatRequest = clientChoices
  .extend({
    id: clientName.openapi({ description: 'The id of a thread, or the client’s own name for it.' }),
    messages: z.array(uiMessage).min(1).openapi({
      description:
        'The conversation. The server reads only its end: a person’s message, which the run answers, or answers to approvals.',
    }),
    trigger: z.enum(['submit-message', 'regenerate-message']).default('submit-message'),
    messageId: clientName.optional().openapi({
      description: 'Not used: `regenerate-message` answers the last message of the conversation again.',
    }),
  })
  .openapi('ChatRequest');

const responded = z.looseObject({
  state: z.literal('approval-responded'),
  approval: z.looseObject({ id: z.string(), approved: z.boolean(), reason: z.string().optional() }),
});

const stream = {
  description: 'A UI message stream',
  content: { 'text/event-stream': { schema: z.string() } },
};
const chatParam = z.object({ id: clientName });

export function aiSdkRoutes(app: App, context: HttpContext): void {
  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/chat',
      tags,
      summary: 'Send a message as the AI SDK does, and follow its run',
      description:
        'Repeating a message returns the same run. The stream ends when the run waits for approval; a request with the answers continues it. ' +
        'Answers need a person. A client that disconnects stops nothing.',
      security: SOMETIMES_PERSON,
      middleware: conversationBody,
      request: { query: workspaceQuery, body: body(chatRequest) },
      responses: { 200: stream, ...problems(400, 403, 404, 409, 410, 413, 415, 422, 429) },
    }),
    async (c) => {
      const { id, messages, trigger, messageId: _unused, ...chosen } = c.req.valid('json');
      const thread = await threadOf(context, c, c.req.valid('query').workspace, id);
      const last = messages.at(-1)!;
      const answers = answersIn(messages.findLast(({ role }) => role === 'assistant'));
      if (last.role !== 'user') {
        const run = await answerAll(context, c, thread, answers, 'refused');
        if (!run) throw noMessageToAnswer();
        const answered = answers.map(({ approval }) => approval);
        return respond(context, c, thread.scope, {
          run,
          dialect: aiSdk,
          binding: bindingOf(id, run),
          answered,
        });
      }
      const again = trigger === 'regenerate-message' ? 'yes' : 'no';
      const content = textIn(last.parts);
      await answerAll(context, c, thread, answers, 'left_alone');
      const run = await runFor(context, thread, { id: last.id, content, again, chosen });
      return respond(context, c, thread.scope, { run, dialect: aiSdk, binding: bindingOf(id, run) });
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/chat/{id}/stream',
      tags,
      summary: 'Follow the chat’s active run, or a given one',
      description:
        'Starts at the run’s beginning, or after `after` (or the `Last-Event-ID` header). A response names its run in `Content-Location`; that ' +
        'address works after the run’s end, too.',
      request: {
        params: chatParam,
        headers: cursorHeader,
        query: workspaceQuery.extend({ run: z.uuid().optional(), after: z.string().optional() }),
      },
      responses: {
        200: stream,
        204: { description: 'No run is active, or the cursor is at the end of the run' },
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { workspace, run: named, after } = c.req.valid('query');
      const { id: chat } = c.req.valid('param');
      const { id, scope } = await threadOf(context, c, workspace, chat);
      const wanted = named ?? (await readThread(scope.db, id))?.active_run ?? null;
      const run = wanted === null ? null : await readRun(scope.db, wanted);
      if (named !== undefined && run?.thread_id !== id) throw notFound('run', named);
      if (!run) return c.body(null, 204);
      const cursor = c.req.header('last-event-id') || after;
      const binding = bindingOf(chat, run);
      return respond(context, c, scope, { run, dialect: aiSdk, binding, after: cursor });
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/chat/{id}/stop',
      tags,
      summary: 'Stop everything open in the chat',
      description: 'Its runs are canceled, and their streams end with `abort`. Idempotent.',
      request: { params: chatParam, query: workspaceQuery },
      responses: {
        200: json(z.object({ stopped: z.boolean() }), 'Whether anything was open'),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { id, scope, origin } = await threadOf(
        context,
        c,
        c.req.valid('query').workspace,
        c.req.valid('param').id,
      );
      const { asked } = origin
        ? await requestStop(factWorld(context, scope), id, 'user_cancelled')
        : { asked: false };
      return c.json({ stopped: asked }, 200);
    },
  );
}

/** The answers that a person gave in the client. The SDK stores them in the parts of the message that asked. */
function answersIn(message: UiMessage | undefined): Answer[] {
  return (message?.parts ?? []).flatMap((each): Answer[] => {
    const answer = responded.safeParse(each);
    if (!answer.success) return [];
    const { id, approved, reason } = answer.data.approval;
    return [{ approval: id, approved, comment: reason }];
  });
}
