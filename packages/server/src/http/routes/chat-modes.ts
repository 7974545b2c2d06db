// The modes of chats: what conducts a chat's first run, and what a request may say about it.

import { MOST_AGENTS, type Chat, type schemas, type Team } from '@continuo/protocol';
import type { z } from '@hono/zod-openapi';
import type { WorkspaceScope } from '../../identity/scope.ts';
import type { Enqueue } from '../../runs/accept/enqueue.ts';
import type { HttpContext } from '../app.ts';
import { Problem } from '../kernel/problem.ts';
import { invalidField, refuseNul } from '../kernel/shared.ts';
import { requireIdlePlan } from './plans.ts';

/** What an autonomous run may use, where its request sets no limit: model calls, tokens, and time. */
export const AUTONOMOUS_LIMITS = { steps: 200, tokens: 2_000_000, seconds: 4 * 3600 } as const;

interface Asked extends Pick<z.infer<typeof schemas.newChat>, 'plan_id' | 'done_when' | 'agents'> {
  readonly mode: Chat['mode'];
  /** The team that the chat's role leads. */
  readonly team: Team | undefined;
}

export async function teamLedBy(
  { roles }: HttpContext,
  { workspaceId }: WorkspaceScope,
  role: string | undefined,
): Promise<Team | undefined> {
  if (role === undefined) return undefined;
  return [...(await roles.of(workspaceId)).teams.values()].find(({ lead }) => lead === role);
}

/** What conducts the chat's first run. Refuses fields that the mode does not take, and what cannot run. */
export async function directiveOf(
  context: HttpContext,
  scope: WorkspaceScope,
  asked: Asked,
): Promise<Enqueue['directive']> {
  refuseFields(asked);
  switch (asked.mode) {
    case 'chat_mode':
      return undefined;
    case 'plan_then_execute':
      return planned(context, scope, asked);
    case 'parallel_agents': {
      if (!asked.agents)
        return { ...(await planned(context, scope, asked)), at_once: true, cap: MOST_AGENTS };
      await requireRoles(context, scope, asked.agents);
      return { mode: 'plan', plan_id: null, agents: asked.agents };
    }
    case 'autonomous':
      return autonomous(context, asked);
  }
}

function refuseFields({ mode, plan_id, done_when, agents }: Asked): void {
  if (done_when !== undefined && mode !== 'autonomous')
    throw invalidField('done_when', 'only the mode autonomous takes it; set mode, or omit done_when.');
  if (agents !== undefined && mode !== 'parallel_agents')
    throw invalidField('agents', 'only the mode parallel_agents takes them; set mode, or omit agents.');
  if (agents !== undefined && plan_id !== undefined)
    throw invalidField('agents', 'a plan has executors of its own; omit agents or plan_id.');
  if (plan_id !== undefined && mode !== 'plan_then_execute' && mode !== 'parallel_agents')
    throw invalidField(
      'plan_id',
      'a plan is run in the modes plan_then_execute and parallel_agents; set mode, or omit plan_id.',
    );
}

async function planned(
  context: HttpContext,
  { workspaceId }: WorkspaceScope,
  { plan_id: planId, team }: Asked,
): Promise<NonNullable<Enqueue['directive']>> {
  if (planId !== undefined) await requireIdlePlan(context, { workspaceId, planId });
  const lead = team && planId === undefined ? { planner: team.lead, team: team.name } : {};
  return { mode: 'plan', plan_id: planId ?? null, ...lead };
}

function autonomous({ sandbox }: HttpContext, { done_when }: Asked): Enqueue['directive'] {
  const { check = null, criteria = [], judge_model = null } = done_when ?? {};
  if (check !== null && !sandbox.usable)
    throw invalidField(
      'done_when.check',
      `commands cannot be run on this server: ${sandbox.reason}. Give criteria instead.`,
    );
  refuseNul('done_when.check', check ?? undefined);
  for (const [index, criterion] of criteria.entries()) refuseNul(`done_when.criteria[${index}]`, criterion);
  return { mode: 'autonomous', check, criteria, judge_model };
}

async function requireRoles(
  { roles }: HttpContext,
  { workspaceId }: WorkspaceScope,
  agents: NonNullable<Asked['agents']>,
): Promise<void> {
  const known = (await roles.of(workspaceId)).roles;
  for (const [index, { role, brief }] of agents.entries()) {
    refuseNul(`agents[${index}].brief`, brief);
    if (!known.has(role))
      throw new Problem({
        status: 400,
        code: 'unknown_role',
        detail: `agents[${index}].role: there is no role "${role}"; the roles are ${[...known.keys()].join(', ')}.`,
      });
  }
}
