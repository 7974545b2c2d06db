// The webhooks of a workspace, and the messages to them. They send what happens in the workspace elsewhere, so only a person may
// change them.

import { createRoute, z } from '@hono/zod-openapi';
import { schemas, type Webhook } from '@continuo/protocol';
import { AUTOMATION_CHANGED } from '../../automation/topics.ts';
import {
  addWebhook,
  changeWebhook,
  deleteWebhook,
  MOST_WEBHOOKS,
  readMessages,
  readWebhooks,
  replaceSecret,
  sendAgain,
} from '../../automation/webhook-rows.ts';
import { toStored } from '../../identity/principal.ts';
import type { WorkspaceScope } from '../../identity/scope.ts';
import type { App, HttpContext } from '../app.ts';
import { requirePlan } from './plans.ts';
import { jsonBody } from '../kernel/body.ts';
import { personRoute } from '../kernel/person.ts';
import { Problem } from '../kernel/problem.ts';
import { scopeIn, workspaceParam } from '../kernel/scope.ts';
import { body, json, limitQuery, notFound, page, problems, timeCursor } from '../kernel/shared.ts';

const tags = ['webhooks'];
const WEBHOOKS = '/api/v1/workspaces/{id}/webhooks';
const WEBHOOK = `${WEBHOOKS}/{webhook}` as const;
const MESSAGES = `${WEBHOOK}/messages` as const;
const webhookParam = workspaceParam.extend({ webhook: z.uuid() });

export function webhookRoutes(app: App, context: HttpContext): void {
  const { bus, sealing } = context;
  const read = async ({ db, workspaceId }: WorkspaceScope, id: string): Promise<Webhook> => {
    const [webhook] = await readWebhooks(db, workspaceId, id);
    if (!webhook) throw notFound('webhook', id);
    return webhook;
  };
  const changed = ({ workspaceId }: WorkspaceScope): void =>
    void bus.publish(AUTOMATION_CHANGED, { workspaceId });

  app.openapi(
    createRoute({
      method: 'get',
      path: WEBHOOKS,
      tags,
      summary: 'List the webhooks of a workspace, with their waiting and dead messages',
      request: { params: workspaceParam },
      responses: {
        200: json(z.object({ items: z.array(schemas.webhook) }), 'The webhooks, oldest first'),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { db, workspaceId } = await scopeIn(c);
      return c.json({ items: await readWebhooks(db, workspaceId) }, 200);
    },
  );

  app.openapi(
    personRoute({
      method: 'post',
      path: WEBHOOKS,
      tags,
      summary: 'Add a webhook; the response has its secret, which is not shown again',
      description: `A workspace has at most ${MOST_WEBHOOKS}.`,
      middleware: jsonBody({ limit: 16 * 1024 }),
      request: { params: workspaceParam, body: body(schemas.newWebhook) },
      responses: {
        201: json(schemas.addedWebhook, 'The webhook'),
        ...problems(400, 404, 409, 410, 413, 415),
      },
    }),
    async (c) => {
      const scope = await scopeIn(c);
      const by = { principal: toStored(scope.principal), sealing };
      const webhook = c.req.valid('json');
      if (webhook.plan_id !== null) await requirePlan(context, scope.workspaceId, webhook.plan_id);
      const added = await addWebhook(scope.db, scope.workspaceId, webhook, by);
      if (!added) throw tooMany();
      changed(scope);
      return c.json({ ...(await read(scope, added.id)), secret: added.secret }, 201, NO_STORE);
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: WEBHOOK,
      tags,
      summary: 'Read a webhook',
      request: { params: webhookParam },
      responses: { 200: json(schemas.webhook, 'The webhook'), ...problems(400, 404, 410) },
    }),
    async (c) => c.json(await read(await scopeIn(c), c.req.valid('param').webhook), 200),
  );

  app.openapi(
    personRoute({
      method: 'put',
      path: WEBHOOK,
      tags,
      summary: 'Change a webhook; its secret stays',
      middleware: jsonBody({ limit: 16 * 1024 }),
      request: { params: webhookParam, body: body(schemas.newWebhook) },
      responses: { 200: json(schemas.webhook, 'The webhook'), ...problems(400, 404, 410, 413, 415) },
    }),
    async (c) => {
      const { webhook } = c.req.valid('param');
      const scope = await scopeIn(c);
      const wanted = c.req.valid('json');
      if (wanted.plan_id !== null) await requirePlan(context, scope.workspaceId, wanted.plan_id);
      if (!(await changeWebhook(scope.db, scope.workspaceId, webhook, wanted)))
        throw notFound('webhook', webhook);
      changed(scope);
      return c.json(await read(scope, webhook), 200);
    },
  );

  app.openapi(
    personRoute({
      method: 'delete',
      path: WEBHOOK,
      tags,
      summary: 'Remove a webhook with its messages',
      request: { params: webhookParam },
      responses: { 204: { description: 'The webhook is removed' }, ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { webhook } = c.req.valid('param');
      const scope = await scopeIn(c);
      if (!(await deleteWebhook(scope.db, scope.workspaceId, webhook))) throw notFound('webhook', webhook);
      changed(scope);
      return c.body(null, 204);
    },
  );

  app.openapi(
    personRoute({
      method: 'post',
      path: `${WEBHOOK}/secret`,
      tags,
      summary: 'Replace the secret of a webhook; the old one stops working at once',
      request: { params: webhookParam },
      responses: { 200: json(schemas.addedWebhook, 'The webhook'), ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { webhook } = c.req.valid('param');
      const scope = await scopeIn(c);
      const secret = await replaceSecret(scope.db, scope.workspaceId, webhook, sealing);
      if (secret === null) throw notFound('webhook', webhook);
      changed(scope);
      return c.json({ ...(await read(scope, webhook)), secret }, 200, NO_STORE);
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: MESSAGES,
      tags,
      summary: 'List the messages to a webhook, newest first',
      request: {
        params: webhookParam,
        query: z.object({
          state: schemas.webhookMessage.shape.state
            .optional()
            .openapi({ description: '`dead`: only messages whose attempts are used up.' }),
          after: z.string().optional(),
          limit: limitQuery,
        }),
      },
      responses: {
        200: json(page(schemas.webhookMessage), 'A page of messages'),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { state = null, after, limit } = c.req.valid('query');
      const scope = await scopeIn(c);
      const { id } = await read(scope, c.req.valid('param').webhook);
      const cursor = after === undefined ? null : timeCursor(after);
      return c.json(await readMessages(scope.db, id, { state, after: cursor, limit }), 200);
    },
  );

  app.openapi(
    personRoute({
      method: 'post',
      path: `${MESSAGES}/{message}/send`,
      tags,
      summary: 'Send a message again, with all its attempts',
      description: 'The `webhook-id` stays the same, so that a receiver can recognise the message.',
      request: { params: webhookParam.extend({ message: z.uuid() }) },
      responses: { 202: { description: 'The message is being sent' }, ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { webhook, message } = c.req.valid('param');
      const scope = await scopeIn(c);
      const { id } = await read(scope, webhook);
      if (!(await sendAgain(scope.db, id, message))) throw notFound('message', message);
      changed(scope);
      return c.body(null, 202);
    },
  );
}

/** The answer has a secret. */
const NO_STORE = { 'cache-control': 'no-store' };

function tooMany(): Problem {
  return new Problem({
    status: 409,
    code: 'too_many_webhooks',
    detail: `A workspace may have at most ${MOST_WEBHOOKS} webhooks; remove one first.`,
  });
}
