// Starts a run without a person: the message goes to a new chat or to a given one, in the caller's transaction.

import { v7 as uuidv7 } from 'uuid';
import type { Pod } from '../actors/pod.ts';
import type { Agents } from '../agents/agent.ts';
import type { Bus } from '../bus/bus.ts';
import type { Pool, Queryable } from '../db/pool.ts';
import type { Principal, StoredPrincipal } from '../identity/principal.ts';
import type { NewSchedule } from '@continuo/protocol';
import { enqueueIn, type Enqueue, type Enqueued } from '../runs/accept/enqueue.ts';

/** What a schedule or a trigger starts, as its column `start` stores it. */
export type Start = Pick<NewSchedule, 'message' | 'chat_id' | 'title' | 'role' | 'model' | 'limits'> & {
  /** The plan that is run in place of a message; only of schedules. */
  readonly plan_id?: string | null;
};

/** Runs of plans, in the caller's transaction. */
export interface PlanStarts {
  /** What a run of the plan begins with. All steps of a plan that has ended are pending again. */
  toRun(client: Queryable, key: PlanKey): Promise<PlanToRun>;
  attach(key: PlanKey, runId: string, client: Queryable): Promise<void>;
  changed(key: PlanKey): Promise<void>;
}

interface PlanKey {
  readonly workspaceId: string;
  readonly planId: string;
}

type PlanToRun =
  | { readonly ok: true; readonly title: string; readonly goal: string }
  | { readonly ok: false; readonly reason: string };

export interface StartWorld {
  readonly pool: Pool;
  readonly pod: Pod;
  readonly bus: Bus;
  readonly agents: Agents;
  readonly plans: PlanStarts;
}

interface StartRequest {
  readonly workspaceId: string;
  readonly start: Start;
  readonly principal: StoredPrincipal;
}

export type Started =
  /** Call `announce` after the commit. */
  | { readonly ok: true; readonly threadId: string; readonly runId: string; readonly announce: () => void }
  /** The transaction can continue. */
  | { readonly ok: false; readonly reason: string };

/** Starts the run in the caller's transaction. */
export async function startRun(
  client: Queryable,
  world: StartWorld,
  { principal, ...asked }: StartRequest,
): Promise<Started> {
  const { plan_id: planId = null } = asked.start;
  const key = planId === null ? null : { workspaceId: asked.workspaceId, planId };
  const prepared = await (key
    ? preparePlan(client, world, key, asked.start)
    : prepareRun(client, world.agents, asked));
  if (!prepared.ok) return prepared;
  const { request } = prepared;
  const acting = { ...world, principal: actingAs(principal, asked.workspaceId) };
  const { outcome, announce } = await enqueueIn(client, acting, request);
  if (outcome.kind !== 'queued') return { ok: false, reason: refusalOf(outcome.kind) };
  const { id: runId } = outcome.run;
  if (key) await world.plans.attach(key, runId, client);
  const announced = () => {
    announce();
    if (key) void world.plans.changed(key).catch(() => undefined);
  };
  return { ok: true, threadId: request.threadId, runId, announce: announced };
}

async function preparePlan(
  client: Queryable,
  { agents, plans }: StartWorld,
  key: PlanKey,
  { model, limits }: Start,
): Promise<Prepared> {
  const made = await agents.make({
    workspaceId: key.workspaceId,
    role: undefined,
    model: model ?? undefined,
  });
  if (!made.ok) return { ok: false, reason: made.problem };
  const plan = await plans.toRun(client, key);
  if (!plan.ok) return plan;
  const merged = { ...made.agent.limits, ...limits };
  return {
    ok: true,
    request: {
      workspaceId: key.workspaceId,
      threadId: uuidv7(),
      message: { content: plan.goal },
      chat: { title: plan.title, role: null, model, mode: 'plan_then_execute' },
      directive: { mode: 'plan', plan_id: key.planId },
      chosen: null,
      idempotencyKey: null,
      model: made.agent.model.id,
      role: made.agent.role,
      limits: Object.keys(merged).length === 0 ? null : merged,
    },
  };
}

type Prepared =
  | { readonly ok: true; readonly request: Enqueue }
  | { readonly ok: false; readonly reason: string };

/** The message as it is enqueued, with what `start` leaves open filled in. */
export async function prepareRun(
  client: Queryable,
  agents: Agents,
  { workspaceId, start }: Pick<StartRequest, 'workspaceId' | 'start'>,
): Promise<Prepared> {
  const { chat_id: chatId, title, limits, message } = start;
  const chosen = chatId === null ? start : await chatDefaults(client, workspaceId, start);
  if (chosen === null) return { ok: false, reason: 'the chat no longer exists' };
  const made = await agents.make({
    workspaceId,
    role: chosen.role ?? undefined,
    model: chosen.model ?? undefined,
  });
  if (!made.ok) return { ok: false, reason: made.problem };
  const merged = { ...made.agent.limits, ...limits };
  return {
    ok: true,
    request: {
      workspaceId,
      threadId: chatId ?? uuidv7(),
      message: { content: message },
      ...(chatId === null && { chat: { title, role: start.role, model: start.model } }),
      chosen: null,
      idempotencyKey: null,
      model: made.agent.model.id,
      role: made.agent.role,
      limits: Object.keys(merged).length === 0 ? null : merged,
    },
  };
}

export function refusalOf(kind: Enqueued['kind']): string {
  return REASONS[kind] ?? `the message was not accepted (${kind})`;
}

const REASONS: Partial<Record<Enqueued['kind'], string>> = {
  no_thread: 'the chat was removed',
  workspace_removed: 'the workspace was removed',
  queue_full: '100 messages are queued in the chat',
};

/** The role and model of a chat apply where `start` names none. Null if the workspace has no such chat. */
async function chatDefaults(
  client: Queryable,
  workspaceId: string,
  { chat_id, role, model }: Start,
): Promise<Pick<Start, 'role' | 'model'> | null> {
  const { rows } = await client.query<{ role: string | null; model: string | null }>(
    'select role, model from threads where id = $1 and workspace_id = $2 and removed_at is null',
    [chat_id, workspaceId],
  );
  const chat = rows[0];
  return chat ? { role: role ?? chat.role, model: model ?? chat.model } : null;
}

/** A run on behalf of a stored principal cannot decide anything: no person is present. */
export function actingAs(stored: StoredPrincipal, workspaceId: string): Principal {
  return stored.kind === 'key' ? { ...stored, isPerson: false, workspaceId } : { ...stored, isPerson: false };
}
