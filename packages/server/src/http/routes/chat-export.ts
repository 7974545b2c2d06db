// A chat, or one of its runs, as a file to share.

import { create as disposition } from 'content-disposition';
import { createRoute, z } from '@hono/zod-openapi';
import { readListedRun } from '../../runs/reads/read-runs.ts';
import { chatAsJson, chatAsMarkdown, EXPORT_FORMATS } from '../../threads/chats/export.ts';
import { logEnd } from '../../threads/read-threads.ts';
import type { App, HttpContext } from '../app.ts';
import { scopeIn } from '../kernel/scope.ts';
import { notFound, problems } from '../kernel/shared.ts';
import { SAFE, send } from '../kernel/stream-bytes.ts';
import { CHAT, chatIn, chatParam } from './chats.ts';

const TYPE = { markdown: 'text/markdown; charset=utf-8', json: 'application/json' };
const SUFFIX = { markdown: 'md', json: 'json' };

export function chatExportRoutes(app: App, { log }: HttpContext): void {
  app.openapi(
    createRoute({
      method: 'get',
      path: `${CHAT}/export`,
      tags: ['chats'],
      summary: 'Download a chat, or one of its runs, as Markdown or JSON',
      description:
        'Markdown is the transcript. JSON is `{format: "continuo-chat", version: 1, as_of, chat, run?, events}`, with every event up to `as_of`, the last one when the download began.',
      request: {
        params: chatParam,
        query: z.object({
          format: z.enum(EXPORT_FORMATS).default('markdown'),
          run: z.uuid().optional().openapi({ description: 'Only the events of this run of the chat.' }),
        }),
      },
      responses: {
        200: {
          description: 'The file',
          content: {
            'text/markdown': { schema: z.string() },
            'application/json': { schema: z.record(z.string(), z.unknown()) },
          },
        },
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { format, run: runId = null } = c.req.valid('query');
      const chat = await chatIn(c, c.req.valid('param'));
      const { db, workspaceId } = await scopeIn(c);
      const run = runId === null ? null : await readListedRun(db, runId);
      if (runId !== null && run?.thread_id !== chat.id) throw notFound('run', runId);
      const name = chat.path
        .replace(/^\/chats\//, '')
        .replace(/\.chat$/, run ? `-run-${run.id.slice(-12)}` : '');
      const headers = {
        ...SAFE,
        'content-type': TYPE[format],
        'content-disposition': disposition(`${name}.${SUFFIX[format]}`),
        'cache-control': 'private, no-store',
      };
      const order = { threadId: chat.id, runId, end: (await logEnd(db, workspaceId, chat.id)) ?? 0 };
      const open = () =>
        format === 'json'
          ? chatAsJson(db, order, { chat, ...(run && { run }) })
          : chatAsMarkdown(db, order, chat.title ?? chat.goal ?? 'A chat');
      return send(c, { status: 200, headers, log }, open);
    },
  );
}
