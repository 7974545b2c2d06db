// From a plan's file to its rows. The file's versions are read in order, so that each tick has its author: a box that a person
// changed is a change of the step's status, by compare-and-set against what the file showed before. Agents do not tick boxes: what
// they did is in the events of their runs, and the next rendering of the file shows it.
//
// - Y1 A step keeps its status and its row while its id stays, wherever it moves; a step that is cut and pasted back gets it back.
// - Y2 A tick never undoes a newer status: if the row has changed since the file was written, the row counts.

import { createHash } from 'node:crypto';
import {
  parsePlan,
  stepsOf,
  type AgentPlan,
  type PlanProblem,
  type PlanStatuses,
  type PlanStepStatus,
} from '@continuo/protocol';
import type { Queryable } from '../db/pool.ts';
import { asText, readWhole } from '../files/content.ts';
import type { Author } from '../files/files.ts';
import { changeSteps, type StepChange } from './steps.ts';

/** Maximum number of versions that are read one by one; of older ones, only the last counts. */
const VERSIONS = 200;

export interface PlanRow {
  readonly id: string;
  readonly file_version: number;
  readonly hash: string | null;
  readonly problems: readonly PlanProblem[];
  readonly state: string;
  readonly approved_version: number | null;
  readonly approved_hash: string | null;
  readonly approved_by: string | null;
  readonly approved_at: Date | null;
  readonly run_id: string | null;
  readonly chat_id: string | null;
  readonly is_dirty: boolean;
  readonly rendered_at: Date | null;
}

export interface SyncedPlan {
  readonly row: PlanRow;
  /** How many boxes of the file changed the status of a step. */
  readonly ticks: number;
  /** The plan of a run was changed after its approval: webhooks are told, and the commit is to be announced. */
  readonly asks: boolean;
}

interface Version {
  readonly version: number;
  readonly author: string;
  readonly chunks: readonly Buffer[];
}

/** Locks the plan's row, and makes its rows follow its file. Null if there is no such plan. In a transaction. */
export async function syncPlan(
  client: Queryable,
  workspaceId: string,
  planId: string,
): Promise<SyncedPlan | null> {
  const row = await lockPlan(client, workspaceId, planId);
  if (!row) return null;
  let ticks = 0;
  const { rows: versions } = await client.query<Version>({
    name: 'plan_versions_to_read',
    text: `select * from (
        select version, author, chunks from file_versions
        where file_id = $1 and version > $2 and is_text order by version desc limit ${VERSIONS}
      ) v order by version`,
    values: [planId, row.file_version],
  });
  for (const version of versions) ticks += await syncVersion(client, workspaceId, planId, version);
  if (versions.length === 0) return { row, ticks, asks: false };
  const now = (await lockPlan(client, workspaceId, planId))!;
  return { row: now, ticks, asks: now.run_id !== null && isApproved(row) && !isApproved(now) };
}

function isApproved({ hash, approved_hash }: PlanRow): boolean {
  return hash === approved_hash;
}

async function lockPlan(client: Queryable, workspaceId: string, planId: string): Promise<PlanRow | null> {
  const select = () =>
    client.query<PlanRow>({
      name: 'lock_plan',
      text: 'select * from plans where id = $1 and workspace_id = $2 for update',
      values: [planId, workspaceId],
    });
  const { rows } = await select();
  if (rows[0]) return rows[0];
  await client.query(
    `insert into plans (id, workspace_id) select e.id, e.workspace_id from entities e
      where e.id = $1 and e.workspace_id = $2 and e.kind = 'plan' on conflict do nothing`,
    [planId, workspaceId],
  );
  return (await select()).rows[0] ?? null;
}

async function syncVersion(
  client: Queryable,
  workspaceId: string,
  planId: string,
  { version, author, chunks }: Version,
): Promise<number> {
  const parsed = parsePlan(asText(await readWhole(client, chunks)) ?? '', planId);
  if (!parsed.ok) {
    await client.query('update plans set file_version = $2, problems = $3 where id = $1', [
      planId,
      version,
      JSON.stringify(parsed.problems),
    ]);
    return 0;
  }
  const { plan, statuses } = parsed;
  const before = await readSteps(client, planId);
  const mayTick = (JSON.parse(author) as Author).kind !== 'run';
  await writeSteps(client, { workspaceId, planId, plan, statuses, mayTick, before });
  const ticks = mayTick ? ticksOf(statuses, before) : [];
  if (ticks.length > 0) await changeSteps(client, { workspaceId, planId }, ticks);
  await client.query(
    `update plans p set file_version = $2, hash = $3, problems = '[]', is_dirty = exists (
        select from plan_steps s where s.plan_id = p.id and s.position is not null and s.status <> s.shown) where p.id = $1`,
    [planId, version, hashOfPlan(plan)],
  );
  return ticks.length;
}

interface KnownStep {
  readonly step_id: string;
  readonly position: number | null;
  readonly title: string;
  readonly status: PlanStepStatus;
  readonly shown: PlanStepStatus;
}

type Steps = ReadonlyMap<string, KnownStep>;

async function readSteps(client: Queryable, planId: string): Promise<Steps> {
  const { rows } = await client.query<KnownStep>(
    'select step_id, position, title, status, shown from plan_steps where plan_id = $1',
    [planId],
  );
  return new Map(rows.map((row) => [row.step_id, row]));
}

interface Written {
  readonly workspaceId: string;
  readonly planId: string;
  readonly plan: AgentPlan;
  readonly statuses: PlanStatuses;
  readonly mayTick: boolean;
  readonly before: Steps;
}

/** The steps of the file, with what it shows. A new step has the status of its box if a person wrote it. */
async function writeSteps(client: Queryable, written: Written): Promise<void> {
  const { workspaceId, planId, plan, statuses, mayTick, before } = written;
  const steps = stepsOf(plan).map(({ id, title }, index) => ({
    step_id: id,
    position: index + 1,
    title,
    status: mayTick && mayBeTicked(statuses.get(id)!) ? statuses.get(id)! : 'pending',
    shown: statuses.get(id)!,
  }));
  const isSame = (step: (typeof steps)[number]) => {
    const known = before.get(step.step_id);
    return known?.position === step.position && known.title === step.title && known.shown === step.shown;
  };
  const changed = steps.filter((step) => !isSame(step));
  const gone = [...before.values()]
    .filter(({ step_id: id, position }) => position !== null && !statuses.has(id))
    .map(({ step_id: id }) => id);
  if (changed.length + gone.length === 0) return;
  await client.query(
    `with given as (
        select * from jsonb_to_recordset($3) as s (step_id text, position integer, title text, status text, shown text)
      ), gone as (
        update plan_steps p set position = null where p.plan_id = $2 and p.step_id = any ($4)
      )
      insert into plan_steps as p (workspace_id, plan_id, step_id, position, title, status, shown, updated_at)
        select $1, $2, step_id, position, title, status, shown, clock_timestamp() from given
        on conflict (plan_id, step_id) do update
          set position = excluded.position, title = excluded.title, shown = excluded.shown`,
    [workspaceId, planId, JSON.stringify(changed), gone],
  );
}

/** The boxes that differ from what the file showed before, where nothing else has changed the step meanwhile. */
function ticksOf(statuses: PlanStatuses, before: Steps): readonly StepChange[] {
  return [...statuses].flatMap(([id, to]): readonly StepChange[] => {
    const known = before.get(id);
    const isTicked = known && known.shown !== to && known.status === known.shown && mayBeTicked(to);
    return isTicked && known.status !== 'running' ? [{ step_id: id, from: [known.shown], to }] : [];
  });
}

/** Whether a person may set this status with a box; only runs set the others. */
function mayBeTicked(status: PlanStepStatus): boolean {
  return status === 'pending' || status === 'done' || status === 'skipped';
}

export function hashOfPlan(plan: AgentPlan): string {
  const { id: _id, ...rest } = plan;
  return createHash('sha256').update(JSON.stringify(rest)).digest('hex');
}
