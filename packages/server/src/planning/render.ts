// From a plan's rows to its file: the boxes show the statuses of the steps. Many changes make one version: the file is written at most
// once a second, before it is read, and when the plan ends. A person or agent who writes the file meanwhile loses nothing: a rendering starts
// from the newest version, changes boxes alone, and is a version like any other.

import { printStatuses, type PlanStepStatus } from '@continuo/protocol';
import type { Bus } from '../bus/bus.ts';
import type { Pool, Queryable } from '../db/pool.ts';
import { asText, holdContent } from '../files/content.ts';
import { readFile, writeFile, type Changed, type Stage } from '../files/files.ts';
import { FILES_CHANGED } from '../files/topics.ts';
import { readHead } from '../files/save.ts';
import type { PlanKey } from './steps.ts';
import { syncPlan } from './sync.ts';

const RENDER_MS = 1000;
/** How often to look for plans whose pod died before it rendered them. */
const SWEEP_MS = 10_000;
/** How often a rendering starts again because another writer was faster. */
const TRIES = 100;

interface Rendering {
  /** Where content is stored, outside the transaction. */
  readonly store: Queryable;
  readonly quotaBytes: number;
  readonly stage: Stage;
}

interface Rendered {
  /** The new version; null if the file shows all statuses. */
  readonly written: Changed | null;
  /** Whether the file changed the status of a step, or the plan of a run needs a new approval. */
  readonly ticked: boolean;
}

/** In a transaction. Does nothing to a file that is removed, or that is not a plan at the moment. */
export async function renderPlan(client: Queryable, key: PlanKey, rendering: Rendering): Promise<Rendered> {
  const { workspaceId, planId } = key;
  let ticked = false;
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const synced = await syncPlan(client, workspaceId, planId);
    if (synced) ticked ||= synced.ticks > 0 || synced.asks;
    if (!synced?.row.is_dirty || synced.row.problems.length > 0) return { written: null, ticked };
    const file = await readFile(client, workspaceId, planId);
    if (!file || file.removedAt !== null || !file.isText) return { written: null, ticked };
    // A rendering starts from the version whose ticks the rows have; a newer one is read first.
    if (file.version !== synced.row.file_version) continue;
    const text = asText(await readHead(client, file)) ?? '';
    const statuses = await readStatuses(client, planId);
    const shown = printStatuses(text, statuses);
    const written =
      shown === text
        ? null
        : await writeFile(client, {
            workspaceId,
            author: { kind: 'plan' },
            path: { path: file.path, folded: file.folded },
            content: await holdContent(rendering.store, shown),
            base: file.version,
            quotaBytes: rendering.quotaBytes,
            stage: rendering.stage,
          });
    // A person or an agent has just written the file: their version first.
    if (written?.kind === 'conflict') continue;
    if (written && written.kind !== 'changed') return { written: null, ticked };
    await client.query(
      `with shown as (update plan_steps set shown = status where plan_id = $1 and position is not null and shown <> status)
        update plans set is_dirty = false, rendered_at = clock_timestamp(), file_version = $2 where id = $1`,
      [planId, written?.file.version ?? file.version],
    );
    return { written, ticked };
  }
  // The file keeps changing: leave it to the next rendering.
  return { written: null, ticked };
}

async function readStatuses(client: Queryable, planId: string): Promise<ReadonlyMap<string, PlanStepStatus>> {
  const { rows } = await client.query<{ step_id: string; status: PlanStepStatus }>(
    'select step_id, status from plan_steps where plan_id = $1 and position is not null',
    [planId],
  );
  return new Map(rows.map(({ step_id, status }) => [step_id, status]));
}

export interface PlanKeeper {
  /** Resolves when work in progress has finished. */
  stop(): Promise<void>;
}

/** Reads plans whose file changed, and renders plans whose steps changed: the plans of a workspace at most once a second. */
export function startPlanKeeper({
  pool,
  bus,
  settle,
  onError,
}: {
  readonly pool: Pool;
  readonly bus: Bus;
  readonly settle: (key: PlanKey) => Promise<void>;
  readonly onError: (error: Error) => void;
}): PlanKeeper {
  const waiting = new Map<string, NodeJS.Timeout>();
  const doing = new Set<Promise<void>>();
  let stopped = false;
  const run = (list: () => Promise<readonly PlanKey[]>): void => {
    const work: Promise<void> = list()
      .then(async (due) => {
        for (const key of due) if (!stopped) await settle(key).catch(onError);
      })
      .catch(onError)
      .finally(() => doing.delete(work));
    doing.add(work);
  };
  const unsubscribe = bus.subscribe(FILES_CHANGED, {
    message: ({ workspaceId }) => {
      if (stopped || waiting.has(workspaceId)) return;
      const due = () => {
        waiting.delete(workspaceId);
        run(() => listDue(pool, workspaceId));
      };
      waiting.set(workspaceId, setTimeout(due, RENDER_MS).unref());
    },
    rescan: () => run(() => listDue(pool, null)),
  });
  const sweep = setInterval(() => run(() => listDirty(pool)), SWEEP_MS).unref();
  return {
    stop: async () => {
      stopped = true;
      unsubscribe();
      clearInterval(sweep);
      for (const timer of waiting.values()) clearTimeout(timer);
      await Promise.all(doing);
    },
  };
}

/** The plans whose file has a version that was not read, or whose steps have a status that the file does not show. */
async function listDue(pool: Pool, workspaceId: string | null): Promise<readonly PlanKey[]> {
  const { rows } = await pool.query<PlanKey>({
    name: 'list_due_plans',
    text: `select e.workspace_id as "workspaceId", e.id as "planId"
      from entities e join files f on f.id = e.id left join plans p on p.id = e.id
      where ($1::uuid is null or e.workspace_id = $1) and e.kind = 'plan' and e.removed_at is null
        and (p.id is null or p.file_version < f.version or p.is_dirty and p.problems = '[]') limit 1000`,
    values: [workspaceId],
  });
  return rows;
}

/** Plans that nobody rendered for a while: the pod that changed their steps may be gone. */
async function listDirty(pool: Pool): Promise<readonly PlanKey[]> {
  const { rows } = await pool.query<PlanKey>({
    name: 'list_dirty_plans',
    text: `select workspace_id as "workspaceId", id as "planId" from plans
      where is_dirty and problems = '[]' and coalesce(rendered_at, '-infinity') < clock_timestamp() - interval '2 s' limit 1000`,
  });
  return rows;
}
