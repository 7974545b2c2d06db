// The plans of a workspace with their states, and which of them a run waits for. From rows alone: no file is read.

import { PLAN_STEP_STATUSES, type ListedPlan, type PlanState, type PlanStepStatus } from '@continuo/protocol';
import type { Queryable } from '../db/pool.ts';

interface StatesQuery {
  /** Only those whose run waits for their approval. */
  readonly waiting: boolean;
  /** The id of the last plan of the page before. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** A run works on the plan, and starts no step before a person has approved it as it is now. */
const WAITS = `p.hash is not null and p.problems = '[]' and p.approved_hash is distinct from p.hash
  and exists (select from runs r where r.id = p.run_id and r.status in ('queued', 'running'))`;

/** Newest first. */
export async function listPlanStates(
  client: Queryable,
  workspaceId: string,
  { waiting, after, limit }: StatesQuery,
): Promise<{ readonly items: ListedPlan[]; readonly next: string | null }> {
  const { rows } = await client.query<Row>({
    name: waiting ? 'list_waiting_plans' : 'list_plan_states',
    text: `select e.id, f.path, e.title, e.project_id, f.version, coalesce(p.state, 'draft') as state,
        coalesce(${WAITS}, false) as is_waiting, p.run_id, p.chat_id, coalesce(jsonb_array_length(p.problems), 0) as problems,
        greatest(e.updated_at, (select max(s.updated_at) from plan_steps s where s.plan_id = e.id)) as updated_at,
        (select jsonb_object_agg(c.status, c.n) from (
          select s.status, count(*)::int as n from plan_steps s where s.plan_id = e.id and s.position is not null group by s.status) c) as counts
      from entities e join files f on f.id = e.id left join plans p on p.id = e.id
      where e.workspace_id = $1 and e.kind = 'plan' and e.removed_at is null and ($2::uuid is null or e.id < $2)
        and not exists (select from entities o where o.id = e.project_id and o.removed_at is not null)
        ${waiting ? `and ${WAITS}` : ''}
      order by e.id desc limit $3`,
    values: [workspaceId, after ?? null, limit + 1],
  });
  const items = rows.slice(0, limit).map(toListed);
  return { items, next: rows.length > limit ? items.at(-1)!.id : null };
}

/** The path of the plan whose approval a run waits for; null if it waits for none. */
export async function findWaitingPlan(client: Queryable, runId: string): Promise<string | null> {
  const { rows } = await client.query<{ path: string }>({
    name: 'find_waiting_plan',
    text: `select f.path from plans p join files f on f.id = p.id
      where p.workspace_id = (select t.workspace_id from runs r join threads t on t.id = r.thread_id where r.id = $1)
        and p.run_id = $1 and ${WAITS}`,
    values: [runId],
  });
  return rows[0]?.path ?? null;
}

interface Row {
  readonly id: string;
  readonly path: string;
  readonly title: string;
  readonly project_id: string | null;
  readonly version: number;
  readonly state: PlanState;
  readonly is_waiting: boolean;
  readonly run_id: string | null;
  readonly chat_id: string | null;
  readonly problems: number;
  readonly updated_at: Date;
  readonly counts: Partial<Record<PlanStepStatus, number>> | null;
}

function toListed({ version, counts, updated_at, ...row }: Row): ListedPlan {
  const all = PLAN_STEP_STATUSES.map((status) => [status, counts?.[status] ?? 0]);
  return {
    ...row,
    content_version: version,
    counts: Object.fromEntries(all) as ListedPlan['counts'],
    updated_at: updated_at.toISOString(),
  };
}
