// What people ask of a plan: its progress, its approval, and its steps done again or skipped. The plan itself is an entity
// (entities.ts) and a file (files.ts).

import { createRoute, z } from '@hono/zod-openapi';
import { schemas } from '@continuo/protocol';
import { toStored } from '../../identity/principal.ts';
import { PlanError } from '../../planning/errors.ts';
import type { App, HttpContext } from '../app.ts';
import { jsonBody } from '../kernel/body.ts';
import { personRoute } from '../kernel/person.ts';
import { Problem } from '../kernel/problem.ts';
import { scopeIn } from '../kernel/scope.ts';
import { body, json, problems } from '../kernel/shared.ts';
import { entityParams } from './entities.ts';

const tags = ['plans'];
const path = '/api/v1/workspaces/{id}/plans/{entity_id}' as const;
const stepParams = entityParams.extend({ step_id: z.string().min(1).max(64) });
const skipping = z.strictObject({ reason: z.string().max(500).optional() }).meta({ id: 'SkipStep' });
const progress = json(schemas.planProgress, 'The plan, with the status of each step');

export function planRoutes(app: App, { plans }: HttpContext): void {
  app.openapi(
    createRoute({
      method: 'get',
      path: `${path}/progress`,
      tags,
      summary: 'Read a plan with the status of each step',
      description:
        'The stages and steps of the plan’s file, and what is wrong with it. The change feed has a `plan_step` for every step that changes, and a `plan_changed` for the plan.',
      request: { params: entityParams },
      responses: { 200: progress, ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { workspaceId } = await scopeIn(c);
      const { entity_id: planId } = c.req.valid('param');
      return c.json(await plans.progress({ workspaceId, planId }).catch(refused), 200);
    },
  );

  app.openapi(
    personRoute({
      method: 'post',
      path: `${path}/approve`,
      tags,
      summary: 'Approve a plan as it is now',
      description:
        'Stores the version that was approved. A plan with problems is refused, each problem with its line.',
      middleware: jsonBody(),
      request: { params: entityParams, body: body(schemas.approvePlan) },
      responses: { 200: progress, ...problems(400, 404, 409, 410, 413, 415, 422) },
    }),
    async (c) => {
      const { workspaceId, principal } = await scopeIn(c);
      const { entity_id: planId } = c.req.valid('param');
      const { version } = c.req.valid('json');
      const approval = { principal: toStored(principal), version };
      return c.json(await plans.approve({ workspaceId, planId }, approval).catch(refused), 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: `${path}/steps/{step_id}/retry`,
      tags,
      summary: 'Have a step done again',
      description: 'The step is pending again, and with it the steps that were blocked.',
      request: { params: stepParams },
      responses: { 200: progress, ...problems(400, 404, 409, 410) },
    }),
    async (c) => {
      const { workspaceId } = await scopeIn(c);
      const { entity_id: planId, step_id } = c.req.valid('param');
      return c.json(await plans.retryStep({ workspaceId, planId }, step_id).catch(refused), 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: `${path}/steps/{step_id}/skip`,
      tags,
      summary: 'Skip a step',
      description: 'What waits for it goes on without its result.',
      middleware: jsonBody(),
      request: { params: stepParams, body: body(skipping) },
      responses: { 200: progress, ...problems(400, 404, 409, 410, 413, 415) },
    }),
    async (c) => {
      const { workspaceId } = await scopeIn(c);
      const { entity_id: planId, step_id } = c.req.valid('param');
      const { reason } = c.req.valid('json');
      return c.json(await plans.skipStep({ workspaceId, planId }, step_id, reason).catch(refused), 200);
    },
  );
}

const STATUS = {
  plan_not_found: 404,
  step_not_found: 404,
  step_not_retryable: 409,
  step_not_skippable: 409,
  plan_changed: 409,
  plan_not_sound: 422,
} as const;

function refused(error: unknown): never {
  if (!(error instanceof PlanError)) throw error;
  const detail = `${error.message[0]!.toUpperCase()}${error.message.slice(1)}.`.replace(/\.\.$/, '.');
  const extra = error.problems.length > 0 ? { problems: error.problems } : undefined;
  throw new Problem({ status: STATUS[error.code], code: error.code, detail, ...(extra && { extra }) });
}
