// The triggers of a workspace. Anyone who has a trigger's address can start runs, so only a person may change triggers.

import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { schemas, type Trigger } from '@continuo/protocol';
import {
  addTrigger,
  changeTrigger,
  deleteTrigger,
  MOST_TRIGGERS,
  readTriggers,
  replaceToken,
} from '../../automation/trigger-rows.ts';
import { AUTOMATION_CHANGED } from '../../automation/topics.ts';
import { sqlState } from '../../db/pool.ts';
import { toStored } from '../../identity/principal.ts';
import type { WorkspaceScope } from '../../identity/scope.ts';
import type { App, HttpContext } from '../app.ts';
import { jsonBody } from '../kernel/body.ts';
import { personRoute } from '../kernel/person.ts';
import { Problem } from '../kernel/problem.ts';
import { scopeIn, workspaceParam } from '../kernel/scope.ts';
import { body, json, notFound, problems } from '../kernel/shared.ts';
import { refuseUnusable } from './schedules.ts';

const tags = ['triggers'];
const TRIGGERS = '/api/v1/workspaces/{id}/triggers';
const TRIGGER = `${TRIGGERS}/{trigger}` as const;
const triggerParam = workspaceParam.extend({ trigger: z.uuid() });

export function triggerRoutes(app: App, context: HttpContext): void {
  const { bus, sealing } = context;
  const read = async ({ db, workspaceId }: WorkspaceScope, id: string): Promise<Trigger> => {
    const [trigger] = await readTriggers(db, workspaceId, id);
    if (!trigger) throw notFound('trigger', id);
    return trigger;
  };
  const changed = ({ workspaceId }: WorkspaceScope): void =>
    void bus.publish(AUTOMATION_CHANGED, { workspaceId });

  app.openapi(
    createRoute({
      method: 'get',
      path: TRIGGERS,
      tags,
      summary: 'List the triggers of a workspace',
      request: { params: workspaceParam },
      responses: {
        200: json(z.object({ items: z.array(schemas.trigger) }), 'The triggers, by name'),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { db, workspaceId } = await scopeIn(c);
      return c.json({ items: await readTriggers(db, workspaceId) }, 200);
    },
  );

  app.openapi(
    personRoute({
      method: 'post',
      path: TRIGGERS,
      tags,
      summary: 'Add a trigger; the response has its address and its secret, which are not shown again',
      description: `A workspace has at most ${MOST_TRIGGERS}.`,
      middleware: jsonBody(),
      request: { params: workspaceParam, body: body(schemas.newTrigger) },
      responses: {
        201: json(schemas.addedTrigger, 'The trigger'),
        ...problems(400, 404, 409, 410, 413, 415),
      },
    }),
    async (c) => {
      const given = c.req.valid('json');
      const scope = await scopeIn(c);
      await refuseUnusable(context, scope, given);
      const by = { principal: toStored(scope.principal), sealing };
      const added = await addTrigger(scope.db, scope.workspaceId, given, by).catch(nameTaken);
      if (!added) throw tooMany();
      changed(scope);
      const { token, secret } = added;
      return c.json({ ...(await read(scope, added.id)), path: `/hooks/${token}`, secret }, 201, NO_STORE);
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: TRIGGER,
      tags,
      summary: 'Read a trigger',
      request: { params: triggerParam },
      responses: { 200: json(schemas.trigger, 'The trigger'), ...problems(400, 404, 410) },
    }),
    async (c) => c.json(await read(await scopeIn(c), c.req.valid('param').trigger), 200),
  );

  app.openapi(
    personRoute({
      method: 'put',
      path: TRIGGER,
      tags,
      summary: 'Change a trigger; its address stays',
      middleware: jsonBody(),
      request: { params: triggerParam, body: body(schemas.newTrigger) },
      responses: {
        200: json(schemas.changedTrigger, 'The trigger'),
        ...problems(400, 404, 409, 410, 413, 415),
      },
    }),
    async (c) => {
      const { trigger } = c.req.valid('param');
      const given = c.req.valid('json');
      const scope = await scopeIn(c);
      await refuseUnusable(context, scope, given);
      const secret = await changeTrigger(scope.db, scope.workspaceId, trigger, given, sealing).catch(
        nameTaken,
      );
      if (secret === undefined) throw notFound('trigger', trigger);
      changed(scope);
      return c.json({ ...(await read(scope, trigger)), secret }, 200, NO_STORE);
    },
  );

  app.openapi(
    personRoute({
      method: 'post',
      path: `${TRIGGER}/token`,
      tags,
      summary: 'Replace the address of a trigger; the old one stops working at once',
      request: { params: triggerParam },
      responses: { 200: json(schemas.addedTrigger, 'The trigger'), ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { trigger } = c.req.valid('param');
      const scope = await scopeIn(c);
      const token = await replaceToken(scope.db, scope.workspaceId, trigger);
      if (token === null) throw notFound('trigger', trigger);
      changed(scope);
      return c.json(
        { ...(await read(scope, trigger)), path: `/hooks/${token}`, secret: null },
        200,
        NO_STORE,
      );
    },
  );

  app.openapi(
    personRoute({
      method: 'delete',
      path: TRIGGER,
      tags,
      summary: 'Remove a trigger; its chats stay',
      request: { params: triggerParam },
      responses: { 204: { description: 'The trigger is removed' }, ...problems(400, 404, 410) },
    }),
    async (c: Context) => {
      const trigger = c.req.param('trigger')!;
      const scope = await scopeIn(c);
      if (!(await deleteTrigger(scope.db, scope.workspaceId, trigger))) throw notFound('trigger', trigger);
      changed(scope);
      return c.body(null, 204);
    },
  );
}

/** The answer has a secret. */
const NO_STORE = { 'cache-control': 'no-store' };

function nameTaken(error: unknown): never {
  if (sqlState(error) !== '23505') throw error;
  throw new Problem({
    status: 409,
    code: 'trigger_exists',
    detail: 'The workspace has a trigger with this name; choose another name, or change that one.',
  });
}

function tooMany(): Problem {
  return new Problem({
    status: 409,
    code: 'too_many_triggers',
    detail: `A workspace may have at most ${MOST_TRIGGERS} triggers; remove one first.`,
  });
}
