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
  cursorHeader,
  clientPart,
  conversationBody,
  nothingToDo,
  respond,
  runFor,
  textIn,
  threadOf,
  workspaceQuery,
  type Answer,
} from './foreign-clients.ts';
import { SOMETIMES_PERSON } from '../kernel/person.ts';
import { body, json, notFound, problems } from '../kernel/shared.ts';

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
    id: clientName.openapi({ description: 'The id of a thread, or any name that the client has for it.' }),
    messages: z.array(uiMessage).min(1).openapi({
      description:
        'The conversation. Only its end is read: a person’s message, which a run answers; or answers to approvals.',
    }),
    trigger: z.enum(['submit-message', 'regenerate-message']).default('submit-message'),
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
  const { pool } = context;

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/chat',
      tags,
      summary: 'Send a message as the AI SDK does, and follow its run',
      description:
        'The same message again gives the same run. Where the run waits for approval the stream ends; a request with the answers goes on. ' +
        'Answers need a person. A client that goes away stops nothing.',
      security: SOMETIMES_PERSON,
      middleware: conversationBody,
      request: { query: workspaceQuery, body: body(chatRequest) },
      responses: { 200: stream, ...problems(400, 403, 404, 409, 410, 413, 415, 422, 429) },
    }),
    async (c) => {
      const { id, messages, trigger, ...chosen } = c.req.valid('json');
      const thread = await threadOf(context, c, c.req.valid('query').workspace, id);
      const last = messages.at(-1)!;
      const answers = answersIn(messages.findLast(({ role }) => role === 'assistant'));
      if (last.role !== 'user') {
        const run = await answerAll(context, c, thread, answers, 'refused');
        if (!run) throw nothingToDo();
        const answered = answers.map(({ approval }) => approval);
        return respond(context, c, { run, dialect: aiSdk, binding: bindingOf(id, run), answered });
      }
      const again = trigger === 'regenerate-message' ? 'yes' : 'no';
      const content = textIn(last.parts);
      await answerAll(context, c, thread, answers, 'left_alone');
      const run = await runFor(context, thread, { id: last.id, content, again, chosen });
      return respond(context, c, { run, dialect: aiSdk, binding: bindingOf(id, run) });
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/chat/{id}/stream',
      tags,
      summary: 'Follow the chat’s active run, or a given one',
      description:
        'From its beginning, or from `after` (or the `Last-Event-ID` header) on. `Content-Location` of a response names its run, which can ' +
        'then be taken up again after its end, too.',
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
      const { id } = await threadOf(context, c, workspace, chat);
      const wanted = named ?? (await readThread(pool, id))?.active_run ?? null;
      const run = wanted === null ? null : await readRun(pool, wanted);
      if (named !== undefined && run?.thread_id !== id) throw notFound('run', named);
      if (!run) return c.body(null, 204);
      const cursor = c.req.header('last-event-id') || after;
      return respond(context, c, { run, dialect: aiSdk, binding: bindingOf(chat, run), after: cursor });
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/chat/{id}/stop',
      tags,
      summary: 'Stop what the chat is doing',
      description: 'Its runs are canceled, and their streams end with `abort`. Repeating it is fine.',
      request: { params: chatParam, query: workspaceQuery },
      responses: {
        200: json(z.object({ stopped: z.boolean() }), 'Whether there was something to stop'),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { id, origin } = await threadOf(
        context,
        c,
        c.req.valid('query').workspace,
        c.req.valid('param').id,
      );
      const { asked } = origin ? await requestStop(context, id, 'user_cancelled') : { asked: false };
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
