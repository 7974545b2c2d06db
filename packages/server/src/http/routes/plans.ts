// What people ask of a plan: its progress, its approval, and its steps done again or skipped. The plan itself is an entity
// (entities.ts) and a file (files.ts).

import { createRoute, z } from '@hono/zod-openapi';
import { v7 as uuidv7 } from 'uuid';
import { schemas, type PlanProgress } from '@continuo/protocol';
import { toStored } from '../../identity/principal.ts';
import { PlanError } from '../../planning/errors.ts';
import { listPlanStates } from '../../planning/states.ts';
import type { PlanKey } from '../../planning/steps.ts';
import { requestCancel } from '../../runs/facts/cancel.ts';
import { requestPause, requestResume } from '../../runs/facts/pause.ts';
import type { App, HttpContext } from '../app.ts';
import { takeMessage } from '../messages/submit-message.ts';
import { jsonBody } from '../kernel/body.ts';
import { personRoute } from '../kernel/person.ts';
import { Problem } from '../kernel/problem.ts';
import { factWorld, scopeIn, workspaceParam } from '../kernel/scope.ts';
import { body, invalidCursor, json, limitQuery, page, problems } from '../kernel/shared.ts';
import { entityParams } from './entities.ts';

const tags = ['plans'];
const path = '/api/v1/workspaces/{id}/plans/{entity_id}' as const;
const stepParams = entityParams.extend({ step_id: z.string().min(1).max(64) });
const skipping = z.strictObject({ reason: z.string().max(500).optional() }).meta({ id: 'SkipStep' });
const progress = json(schemas.planProgress, 'The plan, with the status of each step');

/** Refuses an id that no plan of the workspace has. */
export async function requirePlan(
  { plans }: Pick<HttpContext, 'plans'>,
  workspaceId: string,
  planId: string,
): Promise<void> {
  await plans.read({ workspaceId, planId }).catch(refused);
}

/** Refuses a plan that a run works on. */
export async function requireIdlePlan(
  { plans }: Pick<HttpContext, 'plans'>,
  key: PlanKey,
): Promise<PlanProgress> {
  const found = await plans.progress(key).catch(refused);
  if (!(await plans.isRunning(key))) return found;
  throw new Problem({
    status: 409,
    code: 'plan_running',
    detail: `Run ${found.run_id} works on this plan. Stop it first, or wait until it has ended.`,
  });
}

export function planRoutes(app: App, context: HttpContext): void {
  const { plans } = context;
  planRunRoutes(app, context);
  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/workspaces/{id}/plans/states',
      tags,
      summary: 'List plans with their states, newest first',
      description: 'Reads only rows: a change of a plan’s file shows within a second.',
      request: {
        params: workspaceParam,
        query: z.object({
          waiting: z.enum(['true', 'false']).default('false').openapi({
            description: '`true`: only plans whose approval a run waits for.',
          }),
          after: z.string().optional(),
          limit: limitQuery,
        }),
      },
      responses: { 200: json(page(schemas.listedPlan), 'A page of plans'), ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { waiting, after, limit } = c.req.valid('query');
      if (after !== undefined && !z.uuid().safeParse(after).success)
        throw invalidCursor(after, 'is not the `next` of a page.');
      const { db, workspaceId } = await scopeIn(c);
      const query = { waiting: waiting === 'true', after, limit };
      return c.json(await listPlanStates(db, workspaceId, query), 200);
    },
  );
  app.openapi(
    createRoute({
      method: 'get',
      path: `${path}/progress`,
      tags,
      summary: 'Read a plan with the status of each step',
      description:
        'The stages and steps of the plan’s file, and its problems. The change feed has a `plan_step` for every step that changes, and a `plan_changed` for the plan.',
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
      summary: 'Retry a step',
      description: 'The step and the steps that it blocked are pending again.',
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
      description: 'Steps that wait for it continue without its result.',
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

/** Runs a plan in a chat of its own, and pauses, resumes and stops that run. */
function planRunRoutes(app: App, context: HttpContext): void {
  const { plans } = context;
  app.openapi(
    createRoute({
      method: 'post',
      path: `${path}/run`,
      tags,
      summary: 'Run an approved plan, in a new chat',
      description:
        'Each step is a child run with a chat of its own. A plan that ran before continues with its first unfinished step. The limits are a budget that all steps share.',
      middleware: jsonBody(),
      request: { params: entityParams, body: body(schemas.runPlan) },
      responses: {
        202: json(schemas.accepted, 'The run that works on the plan'),
        ...problems(400, 404, 409, 410, 413, 415, 422, 429),
      },
    }),
    async (c) => {
      const scope = await scopeIn(c);
      const key = { workspaceId: scope.workspaceId, planId: c.req.valid('param').entity_id };
      const { cap, model, restart, limits } = c.req.valid('json');
      const plan = await requireIdlePlan(context, key);
      if (!plan.approved?.is_current)
        throw new Problem({
          status: 409,
          code: 'plan_not_approved',
          detail: `The plan is not approved as it is now. A person approves it with POST ${c.req.path.replace(/run$/, 'approve')}.`,
        });
      if (restart) await plans.restart(key);
      const { run, headers } = await takeMessage(context, scope, {
        threadId: uuidv7(),
        origin: { role: null, model: model ?? null },
        message: { content: plan.goal ?? plan.title, ...(limits && { limits }) },
        idempotencyKey: null,
        chat: { title: plan.title, role: null, model: model ?? null, mode: 'plan_then_execute' },
        directive: { mode: 'plan', plan_id: key.planId, ...(cap !== undefined && { cap }) },
      });
      await plans.attach(key, run.id);
      return c.json({ run }, 202, headers);
    },
  );

  const control = (action: 'pause' | 'resume' | 'stop', summary: string) =>
    app.openapi(
      createRoute({
        method: 'post',
        path: `${path}/${action}` as `${typeof path}/pause`,
        tags,
        summary,
        request: { params: entityParams },
        responses: { 200: progress, ...problems(400, 404, 409, 410) },
      }),
      async (c) => {
        const scope = await scopeIn(c);
        const key = { workspaceId: scope.workspaceId, planId: c.req.valid('param').entity_id };
        const { run_id, chat_id } = await plans.progress(key).catch(refused);
        if (!(await plans.isRunning(key)))
          throw new Problem({
            status: 409,
            code: 'plan_not_running',
            detail: 'No run works on this plan. POST …/run starts one.',
          });
        const world = factWorld(context, scope);
        if (action === 'stop') await requestCancel(world, run_id!, 'user_cancelled');
        else {
          const asked = await (action === 'pause' ? requestPause : requestResume)(world, chat_id!);
          if (!asked.ok) throw new Problem({ status: 409, code: 'wrong_state', detail: asked.problem });
        }
        return c.json(await plans.progress(key).catch(refused), 200);
      },
    );
  control('pause', 'Pause the run of a plan, and its steps');
  control('resume', 'Resume the run of a plan, and its steps');
  control('stop', 'Stop the run of a plan, and its steps');
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
