// The schedules of a workspace: what they start, their next times, and the outcomes of the last ones.

import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { schemas, type NewSchedule, type Schedule } from '@continuo/protocol';
import {
  deleteSchedule,
  MOST_SCHEDULES,
  pauseSchedule,
  putSchedule,
  readSchedules,
} from '../../automation/schedule-rows.ts';
import { runNow } from '../../automation/schedules.ts';
import { problemWith, timesAfter } from '../../automation/times.ts';
import { AUTOMATION_CHANGED } from '../../automation/topics.ts';
import { sqlState, transaction } from '../../db/pool.ts';
import { toStored } from '../../identity/principal.ts';
import type { WorkspaceScope } from '../../identity/scope.ts';
import { readChat } from '../../threads/chats/read-chats.ts';
import type { App, HttpContext } from '../app.ts';
import { jsonBody } from '../kernel/body.ts';
import { Problem } from '../kernel/problem.ts';
import { factWorld, scopeIn, workspaceParam } from '../kernel/scope.ts';
import { body, invalidField, json, notFound, problems } from '../kernel/shared.ts';
import { agentFor } from '../messages/submit-message.ts';
import { requirePlan } from './plans.ts';

const tags = ['schedules'];
const SCHEDULES = '/api/v1/workspaces/{id}/schedules';
const SCHEDULE = `${SCHEDULES}/{schedule}` as const;
const scheduleParam = workspaceParam.extend({ schedule: z.uuid() });

export function scheduleRoutes(app: App, context: HttpContext): void {
  const { bus } = context;
  const read = async ({ db, workspaceId }: WorkspaceScope, id: string): Promise<Schedule> => {
    const [schedule] = await readSchedules(db, workspaceId, id);
    if (!schedule) throw notFound('schedule', id);
    return schedule;
  };
  const put = async (c: Context, id: string | null, schedule: NewSchedule): Promise<Schedule> => {
    const scope = await scopeIn(c);
    await refuseInvalid(context, scope, schedule);
    const principal = toStored(scope.principal);
    const stored = await putSchedule(scope.db, scope.workspaceId, { id, schedule, principal }).catch(
      (error: unknown) => {
        throw sqlState(error) === '23505' ? nameTaken(schedule.name) : error;
      },
    );
    if (stored === null) throw id === null ? tooMany() : notFound('schedule', id);
    void bus.publish(AUTOMATION_CHANGED, { workspaceId: scope.workspaceId });
    return read(scope, stored);
  };
  const pause = async (c: Context, id: string, paused: boolean): Promise<Schedule> => {
    const scope = await scopeIn(c);
    const { db, workspaceId } = scope;
    const found = await transaction(db, (client) => pauseSchedule(client, workspaceId, id, paused));
    if (!found) throw notFound('schedule', id);
    void bus.publish(AUTOMATION_CHANGED, { workspaceId });
    return read(scope, id);
  };

  app.openapi(
    createRoute({
      method: 'get',
      path: SCHEDULES,
      tags,
      summary: 'List the schedules of a workspace, with their next times and the outcomes of the last ones',
      request: { params: workspaceParam, query: z.object({ plan_id: z.uuid().optional() }) },
      responses: {
        200: json(z.object({ items: z.array(schemas.schedule) }), 'The schedules, by name'),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { db, workspaceId } = await scopeIn(c);
      const { plan_id: planId } = c.req.valid('query');
      const items = await readSchedules(db, workspaceId);
      return c.json(
        { items: planId === undefined ? items : items.filter((each) => each.plan_id === planId) },
        200,
      );
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: SCHEDULES,
      tags,
      summary: 'Add a schedule',
      description: `A workspace has at most ${MOST_SCHEDULES}. Its runs act on behalf of the principal that added or last changed it.`,
      middleware: jsonBody(),
      request: { params: workspaceParam, body: body(schemas.newSchedule) },
      responses: {
        201: json(schemas.schedule, 'The schedule'),
        ...problems(400, 404, 409, 410, 413, 415),
      },
    }),
    async (c) => {
      const schedule = await put(c, null, c.req.valid('json'));
      return c.json(schedule, 201, {
        location: `/api/v1/workspaces/${schedule.workspace_id}/schedules/${schedule.id}`,
      });
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: SCHEDULE,
      tags,
      summary: 'Read a schedule',
      request: { params: scheduleParam },
      responses: { 200: json(schemas.schedule, 'The schedule'), ...problems(400, 404, 410) },
    }),
    async (c) => c.json(await read(await scopeIn(c), c.req.valid('param').schedule), 200),
  );

  app.openapi(
    createRoute({
      method: 'put',
      path: SCHEDULE,
      tags,
      summary: 'Change a schedule',
      description: 'The body replaces the whole schedule. The schedule continues with its next time.',
      middleware: jsonBody(),
      request: { params: scheduleParam, body: body(schemas.newSchedule) },
      responses: {
        200: json(schemas.schedule, 'The schedule'),
        ...problems(400, 404, 409, 410, 413, 415),
      },
    }),
    async (c) => c.json(await put(c, c.req.valid('param').schedule, c.req.valid('json')), 200),
  );

  app.openapi(
    createRoute({
      method: 'delete',
      path: SCHEDULE,
      tags,
      summary: 'Remove a schedule; its chats stay',
      request: { params: scheduleParam },
      responses: { 204: { description: 'The schedule is removed' }, ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { schedule } = c.req.valid('param');
      const { db, workspaceId } = await scopeIn(c);
      if (!(await deleteSchedule(db, workspaceId, schedule))) throw notFound('schedule', schedule);
      void bus.publish(AUTOMATION_CHANGED, { workspaceId });
      return c.body(null, 204);
    },
  );

  for (const action of ['pause', 'resume'] as const)
    app.openapi(
      createRoute({
        method: 'post',
        path: `${SCHEDULE}/${action}`,
        tags,
        summary: action === 'pause' ? 'Pause a schedule' : 'Resume a schedule, with its next time after now',
        request: { params: scheduleParam },
        responses: { 200: json(schemas.schedule, 'The schedule'), ...problems(400, 404, 410) },
      }),
      async (c) => c.json(await pause(c, c.req.valid('param').schedule, action === 'pause'), 200),
    );

  app.openapi(
    createRoute({
      method: 'post',
      path: `${SCHEDULE}/run`,
      tags,
      summary: 'Start a run of a schedule now; its next time stays',
      description: '409 `schedule_busy` if its last run is still open and it skips such times.',
      request: { params: scheduleParam },
      responses: { 202: json(schemas.schedule, 'The schedule'), ...problems(400, 404, 409, 410) },
    }),
    async (c) => {
      const { schedule } = c.req.valid('param');
      const scope = await scopeIn(c);
      const outcome = await runNow({ ...context, ...factWorld(context, scope) }, scope.workspaceId, schedule);
      if (outcome.kind === 'none') throw notFound('schedule', schedule);
      if (outcome.time.outcome !== 'started') throw notStarted(outcome.time);
      return c.json(await read(scope, schedule), 202);
    },
  );
}

async function refuseInvalid(
  context: HttpContext,
  { db, workspaceId }: WorkspaceScope,
  schedule: NewSchedule,
): Promise<void> {
  const { cron, time_zone: timeZone, chat_id: chatId, overlap, plan_id: planId } = schedule;
  const problem = problemWith({ cron, timeZone });
  if (problem) throw invalidField(problem.path, problem.message);
  if (timesAfter({ cron, timeZone }, new Date(), 1).length === 0)
    throw invalidField('cron', 'has no time in the future; correct the day or the month');
  if (overlap === 'queue' && chatId === null)
    throw invalidField(
      'overlap',
      'queue needs chat_id, because messages are queued in a chat; use skip, or name a chat',
    );
  if (planId === null && schedule.message === '')
    throw invalidField('message', 'is missing: write the message to the agent, or name a plan in plan_id');
  if (planId !== null) {
    for (const field of ['message', 'chat_id', 'title', 'role'] as const)
      if (schedule[field] !== null && schedule[field] !== '')
        throw invalidField(
          field,
          'does not go with plan_id: a plan runs in a chat of its own, with its goal as the message; leave it out',
        );
    await requirePlan(context, workspaceId, planId);
  }
  await refuseUnusable(context, { db, workspaceId }, schedule);
}

/** Refuses a chat, a role or a model that the workspace does not have. */
export async function refuseUnusable(
  context: HttpContext,
  { db, workspaceId }: Pick<WorkspaceScope, 'db' | 'workspaceId'>,
  { chat_id: chatId, role, model }: Pick<NewSchedule, 'chat_id' | 'role' | 'model'>,
): Promise<void> {
  if (chatId !== null) {
    const chat = await readChat(db, workspaceId, chatId);
    if (!chat || chat.removed_at !== null) throw notFound('chat', chatId);
  }
  await agentFor(context, { workspaceId, role: role ?? undefined, model: model ?? undefined });
}

function notStarted({ outcome, reason, runId }: { outcome: string; reason?: string; runId?: string | null }) {
  return new Problem(
    outcome === 'skipped'
      ? {
          status: 409,
          code: 'schedule_busy',
          detail: `The last run of this schedule, ${runId}, is still open; wait until it ends, or cancel it.`,
          extra: { run_id: runId },
        }
      : { status: 409, code: 'schedule_refused', detail: `The run could not be started: ${reason}.` },
  );
}

function nameTaken(name: string): Problem {
  return new Problem({
    status: 409,
    code: 'schedule_exists',
    detail: `The workspace has a schedule named ${JSON.stringify(name)}; choose another name, or change that one.`,
  });
}

function tooMany(): Problem {
  return new Problem({
    status: 409,
    code: 'too_many_schedules',
    detail: `A workspace may have at most ${MOST_SCHEDULES} schedules; remove one first.`,
  });
}
