// Reads the heads of a workspace's files for the mirror, in pages. A head has its content if that is a single chunk.

import type { Queryable } from '../../../db/pool.ts';
import { CHUNK_BYTES } from '../../content.ts';
import type { Staged, CommittedChange } from '../../files.ts';

export interface Head {
  readonly id: string;
  readonly path: string;
  readonly version: number;
  readonly size: number;
  readonly changedAt: Date;
  readonly removed: boolean;
  /** The content; null if it is empty or longer than a chunk. */
  readonly data: Buffer | null;
  /** Whether the file is read-only on disk. */
  readonly readOnly?: boolean;
  /** The content, if it is already staged on disk. */
  readonly staged?: Staged | undefined;
}

/** Heads in one page: at most this many chunks are in memory. */
const PAGE = 64;

interface Row {
  id: string;
  path: string;
  version: number;
  size: string;
  changed_at: Date;
  removed_at: Date | null;
  data: Buffer | null;
}

const COLUMNS = 'f.id, f.path, f.version, f.size, f.changed_at, f.removed_at, k.data';
const CHUNK = `left join chunks k on k.hash = f.hash and f.size <= ${CHUNK_BYTES} and f.removed_at is null`;

export interface Feed {
  /** Null if the workspace does not exist. */
  readonly workspace: { readonly name: string; readonly removed: boolean; readonly last: number } | null;
  readonly heads: readonly Head[];
  /** The position in the feed up to which these heads are complete. */
  readonly cursor: number;
}

/** The heads of the files that changed after a position in the change feed. */
export async function readFeed(client: Queryable, workspaceId: string, after: number): Promise<Feed> {
  const { rows } = await client.query<
    Partial<Row> & { name: string; gone: boolean; last: string; seq: string | null }
  >({
    name: 'mirror_feed',
    text: `select w.name, w.removed_at is not null as gone, w.change_seq as last, c.seq, ${COLUMNS}
      from workspaces w
      left join lateral (
        select object_id, max(seq) as seq from (
          select object_id, seq from changes where workspace_id = w.id and seq > $2 order by seq limit ${PAGE}
        ) page group by object_id
      ) c on true
      left join files f on f.id = c.object_id
      ${CHUNK}
      where w.id = $1`,
    values: [workspaceId, after],
  });
  const [first] = rows;
  if (!first) return { workspace: null, heads: [], cursor: after };
  return {
    workspace: { name: first.name, removed: first.gone, last: Number(first.last) },
    heads: rows.filter((row) => row.id).map((row) => headOf(row as Row)),
    cursor: rows.reduce((cursor, { seq }) => Math.max(cursor, Number(seq ?? 0)), after),
  };
}

/** The live files, ordered by path, starting after `after`. */
export async function readHeads(
  client: Queryable,
  workspaceId: string,
  after: string,
): Promise<{ readonly heads: readonly Head[]; readonly next: string | null }> {
  const { rows } = await client.query<Row & { folded: string }>({
    name: 'mirror_heads',
    text: `select ${COLUMNS}, f.folded from files f ${CHUNK}
      where f.workspace_id = $1 and f.removed_at is null and f.folded > $2 order by f.folded limit ${PAGE}`,
    values: [workspaceId, after],
  });
  return { heads: rows.map(headOf), next: rows.length < PAGE ? null : rows.at(-1)!.folded };
}

export async function readSome(
  client: Queryable,
  workspaceId: string,
  ids: readonly string[],
): Promise<readonly Head[]> {
  const { rows } = await client.query<Row>({
    name: 'mirror_some',
    text: `select ${COLUMNS} from files f ${CHUNK} where f.workspace_id = $1 and f.id = any ($2)`,
    values: [workspaceId, ids],
  });
  return rows.map(headOf);
}

/** The head of a change whose writer had the content in memory. */
export function headOfChange({ file, held, staged }: CommittedChange): Head {
  const { id, path, version, size, changedAt } = file;
  return { id, path, version, size, changedAt, removed: false, data: held!, staged };
}

function headOf(row: Row): Head {
  return {
    id: row.id,
    path: row.path,
    version: row.version,
    size: Number(row.size),
    changedAt: row.changed_at,
    removed: row.removed_at !== null,
    data: row.data,
  };
}
