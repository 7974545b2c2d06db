// Plans: reads them with the status of each step, approves them, and retries and skips their steps. Any pod stores a person's request
// in the plan's rows at once; the run that works on the plan reads it there.

import {
  checkPlan,
  parsePlan,
  PLAN_STEP_STATUSES,
  type AgentPlan,
  type PlanProblem,
  type PlanProgress,
  type PlanStepState,
  type PlanStepStatus,
  type PlanVocabulary,
} from '@continuo/protocol';
import type { Bus } from '../bus/bus.ts';
import { transaction, type Pool, type Queryable } from '../db/pool.ts';
import { asText, holdContent } from '../files/content.ts';
import { readFile, writeFile } from '../files/files.ts';
import type { FilePath } from '../files/paths.ts';
import { readHead } from '../files/save.ts';
import type { Workspaces } from '../files/workspace-files.ts';
import type { StoredPrincipal } from '../identity/principal.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { Entity } from '../knowledge/kind.ts';
import type { QueuedRun } from '../runs/loop/decide.ts';
import { agentsPlanFile, agentsPlanPath, type NamedAgent } from './agents.ts';
import { PlanError } from './errors.ts';
import { renderPlan } from './render.ts';
import { changeSteps, type PlanKey, type StepChange } from './steps.ts';
import { hashOfPlan, syncPlan, type PlanRow } from './sync.ts';
import { PLANS_CHANGED } from './topics.ts';

export interface PlansWorld {
  readonly pool: Pool;
  readonly bus: Bus;
  readonly workspaces: Workspaces;
  readonly knowledge: Knowledge;
  readonly quotaBytes: number;
  /** The roles and tools that plans of a workspace may name. */
  vocabulary(workspaceId: string): Promise<PlanVocabulary>;
}

interface ReadPlan {
  readonly entity: Entity;
  readonly row: PlanRow;
  readonly plan: AgentPlan | null;
  readonly problems: readonly PlanProblem[];
  readonly version: number;
  readonly asks: boolean;
}

export class Plans {
  readonly #world: PlansWorld;

  constructor(world: PlansWorld) {
    this.#world = world;
  }

  /** The plan with the status of each step. Throws PlanError. */
  async progress(key: PlanKey): Promise<PlanProgress> {
    await this.settle(key);
    return this.#inPlan(key, (client, read) => toProgress(client, read));
  }

  /** The plan as it is now, and what is wrong with it. Throws PlanError. */
  async read(
    key: PlanKey,
  ): Promise<{ readonly plan: AgentPlan | null; readonly problems: readonly PlanProblem[] }> {
    return this.#inPlan(key, async (_client, { plan, problems }) => ({ plan, problems }));
  }

  /** Stores which version a person approved. `version`: the one that the person has seen. */
  async approve(
    key: PlanKey,
    { principal, version }: { readonly principal: StoredPrincipal; readonly version?: number | undefined },
  ): Promise<PlanProgress> {
    const progress = await this.#inPlan(key, async (client, read) => {
      requireSound(read);
      if (version !== undefined) await requireSame(client, key, read, version);
      await client.query(
        `update plans set approved_version = $2, approved_hash = $3, approved_by = $4, approved_at = clock_timestamp()
          where id = $1`,
        [key.planId, read.version, hashOfPlan(read.plan!), JSON.stringify(principal)],
      );
      const from = ['draft', 'approved', 'done', 'failed', 'stopped'];
      await client.query('select change_plan_state($1, $2, $3, $4)', [
        key.workspaceId,
        key.planId,
        from,
        read.row.state === 'draft' ? 'approved' : read.row.state,
      ]);
      await client.query('select wake_plan($1)', [key.planId]);
      return toProgress(client, { ...read, row: (await syncPlan(client, key.workspaceId, key.planId))!.row });
    });
    await this.changed(key);
    return progress;
  }

  /**
   * The plan of the agents that a person named, written and approved on behalf of that person. Idempotent: the path names the run. If
   * somebody has changed the plan before its approval, it waits for one.
   */
  async prepareForAgents(
    run: Pick<QueuedRun, 'id' | 'workspaceId' | 'role' | 'principal'>,
    goal: string,
    agents: readonly NamedAgent[],
  ): Promise<string> {
    const { workspaceId, principal } = run;
    const path = agentsPlanPath(run.id);
    const found = await this.#findPlanAt(workspaceId, path);
    const planId =
      found?.id ?? (await this.#write(workspaceId, path, agentsPlanFile(goal, agents, run.role)));
    if (found?.is_approved) return planId;
    await this.approve({ workspaceId, planId }, { principal, version: 1 }).catch((error: unknown) => {
      if (!(error instanceof PlanError && error.code === 'plan_changed')) throw error;
    });
    return planId;
  }

  async #findPlanAt(workspaceId: string, { folded }: FilePath) {
    const { rows } = await this.#world.pool.query<{ id: string; is_approved: boolean }>({
      name: 'find_plan_of_agents',
      text: `select f.id, p.approved_version is not null as is_approved from files f left join plans p on p.id = f.id
        where f.workspace_id = $1 and f.folded = $2 order by f.created_at limit 1`,
      values: [workspaceId, folded],
    });
    return rows[0];
  }

  async #write(workspaceId: string, path: FilePath, text: string): Promise<string> {
    const { pool, workspaces, quotaBytes } = this.#world;
    const content = await holdContent(pool, text);
    const author = { kind: 'plan' } as const;
    const written = await transaction(pool, (client) =>
      writeFile(client, {
        workspaceId,
        path,
        content,
        author,
        base: null,
        quotaBytes,
        stage: workspaces.stage,
      }),
    );
    if (written.kind !== 'changed')
      throw new Error(`the plan ${path.path} cannot be written: ${written.kind}`);
    await workspaces.committed(workspaceId, [written]);
    return written.file.id;
  }

  /** What a run of the plan begins with, in the caller's transaction. All steps of a plan that has ended are pending again. */
  async toRun(
    client: Queryable,
    key: PlanKey,
  ): Promise<{ ok: true; title: string; goal: string } | { ok: false; reason: string }> {
    const refused = (reason: string) => ({ ok: false, reason }) as const;
    const vocabulary = await this.#world.vocabulary(key.workspaceId);
    const read = await this.#readIn(client, key, vocabulary);
    if (!read || read.entity.removed_at !== null) return refused('the plan was removed');
    const { plan, problems, row, entity } = read;
    if (!plan || problems.length > 0) return refused(`the plan has a problem: ${problems[0]!.text}`);
    if (row.approved_hash !== row.hash) return refused('the plan is not approved as it is now');
    if (await isOpen(client, key.planId)) return refused(`the run ${row.run_id} works on the plan`);
    const steps = await readSteps(client, key.planId);
    if ([...steps.values()].every(({ status }) => ENDED.includes(status))) await restart(client, key);
    return { ok: true, title: entity.title!, goal: plan.goal };
  }

  /** All steps are pending again. */
  async restart(key: PlanKey): Promise<void> {
    await this.#inPlan(key, (client) => restart(client, key));
    await this.changed(key);
  }

  /** The run works on the plan from here on, in its chat, unless another one does. */
  async attach({ workspaceId, planId }: PlanKey, runId: string, client?: Queryable): Promise<void> {
    const attach = async (within: Queryable) => {
      // Locks the plan's row: the run cannot end the plan meanwhile.
      const { rows } = await within.query<{ state: string }>(
        `update plans p set run_id = r.id, chat_id = r.thread_id from runs r
          where p.id = $1 and r.id = $2 and p.workspace_id = r.workspace_id and r.status in ('queued', 'running')
            and not exists (select from runs o where o.id = p.run_id and o.id <> r.id and o.status in ('queued', 'running'))
          returning case when p.hash = p.approved_hash then 'approved' else 'draft' end as state`,
        [planId, runId],
      );
      const ended = ['done', 'failed', 'stopped'];
      for (const { state } of rows)
        await within.query('select change_plan_state($1, $2, $3, $4)', [workspaceId, planId, ended, state]);
    };
    if (client) return attach(client);
    await transaction(this.#world.pool, attach);
    await this.#world.workspaces.announce(workspaceId);
  }

  /** Whether an open run works on the plan. */
  async isRunning({ planId }: PlanKey): Promise<boolean> {
    return isOpen(this.#world.pool, planId);
  }

  /** Retries a step, and with it the steps that it blocked. */
  async retryStep(key: PlanKey, stepId: string): Promise<PlanProgress> {
    return this.#changeStep(key, stepId, (plan, status) => {
      if (!['failed', 'blocked', 'skipped', 'done'].includes(status))
        throw new PlanError(
          'step_not_retryable',
          `step “${stepId}” is ${status}; only one that is done, failed, blocked or skipped can be retried`,
        );
      const from = [status];
      const blocked = dependants(plan, stepId).map((id): StepChange => ({
        step_id: id,
        from: ['blocked'],
        to: 'pending',
      }));
      return [{ step_id: stepId, from, to: 'pending' }, ...blocked];
    });
  }

  async skipStep(key: PlanKey, stepId: string, reason?: string): Promise<PlanProgress> {
    return this.#changeStep(key, stepId, (_plan, status) => {
      if (!['pending', 'failed', 'blocked'].includes(status))
        throw new PlanError(
          'step_not_skippable',
          `step “${stepId}” is ${status}; only one that is pending, failed or blocked can be skipped`,
        );
      return [
        { step_id: stepId, from: [status], to: 'skipped', ...(reason !== undefined && { error: reason }) },
      ];
    });
  }

  /** To be called after the commit of `changeSteps`: announces the change, and has the file show it within a second. */
  async changed({ workspaceId, planId }: PlanKey): Promise<void> {
    await Promise.all([
      this.#world.workspaces.announce(workspaceId),
      this.#world.bus.publish(PLANS_CHANGED, { planId }),
    ]);
  }

  /** For `Workspaces.refreshBy`: renders the plan at a path, if its file does not show all statuses. */
  async refresh(workspaceId: string, { folded }: FilePath): Promise<void> {
    const { rows } = await this.#world.pool.query<{ id: string }>({
      name: 'dirty_plan_at',
      text: `select p.id from files f join plans p on p.id = f.id
        where f.workspace_id = $1 and f.folded = $2 and f.removed_at is null and p.is_dirty`,
      values: [workspaceId, folded],
    });
    if (rows[0]) await this.settle({ workspaceId, planId: rows[0].id });
  }

  /** Makes the rows follow the file and the file show the rows: before it is read, and when a plan ends. */
  async settle(key: PlanKey): Promise<void> {
    const { pool, workspaces, quotaBytes } = this.#world;
    const { written, ticked } = await transaction(pool, (client) =>
      renderPlan(client, key, { store: pool, quotaBytes, stage: workspaces.stage }),
    );
    if (written) await workspaces.committed(key.workspaceId, [written]);
    else if (ticked) await workspaces.announce(key.workspaceId);
  }

  async #changeStep(
    key: PlanKey,
    stepId: string,
    decide: (plan: AgentPlan, status: PlanStepStatus) => readonly StepChange[],
  ): Promise<PlanProgress> {
    const progress = await this.#inPlan(key, async (client, read) => {
      const step = (await readSteps(client, key.planId)).get(stepId);
      if (!read.plan || !step) throw new PlanError('step_not_found', `the plan has no step “${stepId}”`);
      await changeSteps(client, key, decide(read.plan, step.status));
      await client.query('select wake_plan($1)', [key.planId]);
      return toProgress(client, read);
    });
    await this.changed(key);
    return progress;
  }

  /** Does work in a transaction that holds the plan's row, which follows the file. */
  async #inPlan<T>(key: PlanKey, work: (client: Queryable, read: ReadPlan) => Promise<T>): Promise<T> {
    const vocabulary = await this.#world.vocabulary(key.workspaceId);
    let asks = false;
    const done = await transaction(this.#world.pool, async (client) => {
      const read = await this.#readIn(client, key, vocabulary);
      if (!read)
        throw new PlanError('plan_not_found', `there is no plan with the id ${key.planId} in this workspace`);
      ({ asks } = read);
      return work(client, read);
    });
    if (asks) await this.#world.workspaces.announce(key.workspaceId);
    return done;
  }

  async #readIn(client: Queryable, key: PlanKey, vocabulary: PlanVocabulary): Promise<ReadPlan | null> {
    const reader = { client, workspaceId: key.workspaceId };
    const synced = await syncPlan(client, key.workspaceId, key.planId);
    const entity = await this.#world.knowledge.plans.read(reader, key.planId);
    const file = entity && (await readFile(client, key.workspaceId, key.planId));
    if (!synced || !file) return null;
    const parsed = parsePlan(asText(await readHead(client, file)) ?? '', key.planId);
    const problems = parsed.ok ? checkPlan(parsed.plan, vocabulary, parsed.positions) : parsed.problems;
    const plan = parsed.ok ? { ...parsed.plan, id: key.planId } : null;
    return { entity, row: synced.row, plan, problems, version: file.version, asks: synced.asks };
  }
}

const ENDED: readonly PlanStepStatus[] = ['done', 'failed', 'skipped', 'blocked'];

/** Whether an open run works on the plan. */
async function isOpen(client: Queryable, planId: string): Promise<boolean> {
  const { rowCount } = await client.query(
    "select from plans p join runs r on r.id = p.run_id where p.id = $1 and r.status in ('queued', 'running')",
    [planId],
  );
  return rowCount === 1;
}

async function restart(client: Queryable, key: PlanKey): Promise<void> {
  const steps = [...(await readSteps(client, key.planId)).keys()];
  await changeSteps(
    client,
    key,
    steps.map((step_id): StepChange => ({ step_id, from: ENDED, to: 'pending' })),
  );
}

function requireSound({ plan, problems }: ReadPlan): void {
  if (plan && problems.length === 0) return;
  const first = problems[0]!;
  throw new PlanError(
    'plan_not_sound',
    `the plan has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}; line ${first.line}, column ${first.column}: ${first.text}`,
    problems,
  );
}

/** Refuses if the plan has changed since that version. Changed statuses are not a change of the plan. */
async function requireSame(client: Queryable, key: PlanKey, read: ReadPlan, version: number): Promise<void> {
  if (version === read.version) return;
  const head = await readFile(client, key.workspaceId, key.planId);
  const seen =
    version < read.version ? await readHead(client, { ...head!, version }).catch(() => null) : null;
  const parsed = seen && parsePlan(asText(seen) ?? '', key.planId);
  if (parsed && parsed.ok && hashOfPlan(parsed.plan) === hashOfPlan(read.plan!)) return;
  throw new PlanError(
    'plan_changed',
    `the plan has changed since version ${version}: read version ${read.version} and approve that one`,
  );
}

interface StepRow {
  readonly step_id: string;
  readonly status: PlanStepStatus;
  readonly run_id: string | null;
  readonly chat_id: string | null;
  readonly error: string | null;
  readonly cost: number | null;
  readonly updated_at: Date;
}

async function readSteps(client: Queryable, planId: string): Promise<ReadonlyMap<string, StepRow>> {
  const { rows } = await client.query<StepRow>({
    name: 'read_plan_steps',
    text: `select step_id, status, run_id, chat_id, error, cost, updated_at from plan_steps
      where plan_id = $1 and position is not null`,
    values: [planId],
  });
  return new Map(rows.map((row) => [row.step_id, row]));
}

/** What a run has used with all of its descendants that have ended. */
async function readUsage(client: Queryable, runId: string | null): Promise<PlanProgress['usage']> {
  if (runId === null) return null;
  const { rows } = await client.query<NonNullable<PlanProgress['usage']>>({
    name: 'read_plan_usage',
    text: `with recursive family (id) as (
        select $1::uuid
        union all
        select r.id from family f join threads t on t.parent_run = f.id join runs r on r.thread_id = t.id)
      select count(*)::int as runs, coalesce(sum((r.usage ->> 'input')::float8), 0) as input,
        coalesce(sum((r.usage ->> 'output')::float8), 0) as output, sum(r.cost) as cost
      from family f join runs r on r.id = f.id`,
    values: [runId],
  });
  return rows[0]!;
}

async function toProgress(
  client: Queryable,
  { entity, row, plan, problems, version }: ReadPlan,
): Promise<PlanProgress> {
  const rows = await readSteps(client, row.id);
  let step = 0;
  const stages = (plan?.stages ?? []).map((stage) => ({
    ...stage,
    steps: stage.steps.map((each): PlanStepState => {
      const known = rows.get(each.id);
      step += 1;
      return {
        ...(each as Omit<PlanStepState, 'step' | 'status'>),
        step,
        status: known?.status ?? 'pending',
        chat_id: known?.chat_id ?? null,
        run_id: known?.run_id ?? null,
        error: known?.error ?? null,
        cost: known?.cost ?? null,
        updated_at: known?.updated_at.toISOString() ?? null,
      };
    }),
  }));
  const steps = stages.flatMap((stage) => stage.steps);
  const counts = Object.fromEntries(
    PLAN_STEP_STATUSES.map((status) => [status, steps.filter((each) => each.status === status).length]),
  ) as PlanProgress['counts'];
  return {
    id: row.id,
    path: entity.path as string,
    title: entity.title!,
    project_id: entity.project_id,
    content_version: version,
    state: row.state as PlanProgress['state'],
    goal: plan?.goal ?? null,
    constraints: [...(plan?.constraints ?? [])],
    stages,
    counts,
    problems: [...problems],
    approved:
      row.approved_version === null
        ? null
        : {
            version: row.approved_version,
            at: row.approved_at!.toISOString(),
            by: JSON.parse(row.approved_by!) as unknown,
            is_current: plan !== null && row.approved_hash === hashOfPlan(plan),
          },
    run_id: row.run_id,
    chat_id: row.chat_id,
    usage: await readUsage(client, row.run_id),
  };
}

/** The steps that wait for a step, directly or not: by their inputs, or because they come later in the sequence or in a later stage. */
function dependants(plan: AgentPlan, stepId: string): readonly string[] {
  const from = plan.stages.findIndex(({ steps }) => steps.some(({ id }) => id === stepId));
  return plan.stages
    .slice(from)
    .flatMap(({ steps }) => steps.map(({ id }) => id))
    .filter((id) => id !== stepId);
}
