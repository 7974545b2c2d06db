// Scheduled publications: rows with a time. The pod that claims a due row publishes its version, and `publish_content` deletes the
// row, in one transaction: a pod that dies in between leaves the row as it was, and another pod claims it.
//
// Invariant: a row leads to one publication at most. If a person publishes or unpublishes the piece before that, the row is deleted.

import type { Bus } from '../bus/bus.ts';
import {
  isStorageFull,
  isUnavailable,
  sqlState,
  transaction,
  type Pool,
  type Queryable,
} from '../db/pool.ts';
import { DueWork } from '../actors/due-work.ts';
import type { Faults } from '../faults.ts';
import {
  invalid,
  readDraft,
  Unpublishable,
  type Draft,
  type Place,
  type ScheduledPublication,
} from './draft.ts';
import { publish } from './publishing.ts';
import { announcePublication, CONTENT_SCHEDULED } from './topics.ts';

/** The most publications of a workspace that wait for their time. */
export const MOST_SCHEDULED = 1000;

/** Null if the workspace has the most that may wait. Throws `Unpublishable` if anything is wrong with the draft. */
export async function schedulePublication(
  { client, workspaceId }: Place,
  { type, slug, file, article, problems }: Draft,
  { at, by }: { readonly at: Date; readonly by: object },
): Promise<ScheduledPublication | null> {
  if (problems.length > 0) throw invalid(`${file.path} cannot be published`, problems);
  const { rows } = await client.query<ScheduledPublication>(
    `insert into scheduled_publications as s (workspace_id, type, slug, file_id, version, title, at, scheduled_by)
      select $1, $2, $3, $4, $5, $6, $7, $8
        where (select count(*) from scheduled_publications where workspace_id = $1 and (type, slug) <> ($2, $3)) < $9
      on conflict (workspace_id, type, slug) do update set file_id = excluded.file_id, version = excluded.version,
        title = excluded.title, at = excluded.at, scheduled_by = excluded.scheduled_by, problem = null,
        created_at = clock_timestamp()
      returning version, title, at, problem`,
    [
      workspaceId,
      type.name,
      slug,
      file.id,
      file.version,
      article.title,
      at,
      JSON.stringify(by),
      MOST_SCHEDULED,
    ],
  );
  return rows[0] ?? null;
}

/** False if it was not scheduled. */
export async function cancelScheduledPublication(
  { client, workspaceId }: Place,
  type: string,
  slug: string,
): Promise<boolean> {
  const { rowCount } = await client.query(
    'delete from scheduled_publications where workspace_id = $1 and type = $2 and slug = $3',
    [workspaceId, type, slug],
  );
  return rowCount === 1;
}

interface PublisherWorld {
  readonly pool: Pool;
  readonly bus: Bus;
  readonly quotaBytes: number;
  readonly onError: (error: Error) => void;
  readonly faults?: Faults | undefined;
}

/** Publishes what is due, on every pod. */
export function createPublisher(world: PublisherWorld): DueWork {
  const { pool, bus, onError } = world;
  const work = new DueWork({
    doDue: async () => {
      while (await publishDue(world));
    },
    untilNext: async () => {
      const { rows } = await pool.query<{ ms: number | null }>(
        `select extract(epoch from min(s.at) - clock_timestamp())::float8 * 1000 as ms from scheduled_publications s
          join workspaces w on w.id = s.workspace_id where s.problem is null and w.removed_at is null`,
      );
      return rows[0]!.ms;
    },
    onError,
  });
  bus.subscribe(CONTENT_SCHEDULED, { message: () => work.wake(), rescan: () => work.wake() });
  return work;
}

interface DueRow {
  readonly workspace_id: string;
  readonly type: string;
  readonly slug: string;
  readonly file_id: string;
  readonly version: number;
  /** JSON. */
  readonly scheduled_by: string;
}

/** Handles one due publication. False if there is none that this pod can claim. */
async function publishDue(world: PublisherWorld): Promise<boolean> {
  const workspaceId = await transaction(world.pool, async (client) => {
    const { rows } = await client.query<DueRow>(
      `select s.workspace_id, s.type, s.slug, s.file_id, s.version, s.scheduled_by from scheduled_publications s
        join workspaces w on w.id = s.workspace_id
        where s.at <= clock_timestamp() and s.problem is null and w.removed_at is null
        order by s.at limit 1 for update of s skip locked`,
    );
    const row = rows[0];
    if (!row) return null;
    await world.faults?.('publication.claimed');
    const problem = await tryToPublish(client, world, row);
    if (problem !== null)
      await client.query(
        'update scheduled_publications set problem = $4 where workspace_id = $1 and type = $2 and slug = $3',
        [row.workspace_id, row.type, row.slug, problem],
      );
    await world.faults?.('publication.published');
    return row.workspace_id;
  });
  if (workspaceId === null) return false;
  await world.faults?.('publication.committed');
  announcePublication(world.bus, workspaceId);
  return true;
}

/** Why the row's version cannot be published; null if it is. Such a row must not keep the ones after it from being published. */
async function tryToPublish(client: Queryable, world: PublisherWorld, row: DueRow): Promise<string | null> {
  const { workspace_id: workspaceId, scheduled_by, file_id, ...piece } = row;
  const by = JSON.parse(scheduled_by) as object;
  await client.query('savepoint publication');
  try {
    const draft = await readDraft({ client, workspaceId }, piece);
    if (draft.file.id !== file_id)
      throw new Unpublishable('content_not_found', `${draft.file.path} is another file now`);
    await publish({ client, workspaceId, by, quotaBytes: world.quotaBytes }, draft);
    return null;
  } catch (error) {
    if (!(error instanceof Unpublishable) && (isUnavailable(error) || isStorageFull(error))) throw error;
    await client.query('rollback to savepoint publication');
    if (error instanceof Unpublishable) return error.message;
    if (sqlState(error) === 'CN413')
      return 'the workspace’s quota is used up; remove files, or raise the quota';
    world.onError(error as Error);
    return 'the server failed to publish it; its log says why';
  }
}
