// Publishing. A published piece is a copy of one version of its file: editing, moving or removing the file never changes what is
// live. Only `publish` and `unpublish` do.

import { sqlState } from '../db/pool.ts';
import { invalid, Unpublishable, type Draft, type Place } from './draft.ts';

export interface Published {
  readonly type: string;
  readonly slug: string;
  readonly fileId: string;
  readonly version: number;
  readonly title: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
  readonly html: string;
  readonly firstPublishedAt: Date;
  readonly publishedAt: Date;
}

interface Publisher extends Place {
  /** Who publishes it: a principal, or the call of a run. */
  readonly by: object;
  readonly quotaBytes: number;
}

/** Publishes a draft. Throws `Unpublishable` if anything is wrong with it. */
export async function publish(
  { client, workspaceId, by, quotaBytes }: Publisher,
  draft: Draft,
): Promise<Published> {
  const { type, slug, file, article, html, assets, problems } = draft;
  if (problems.length > 0) throw invalid(`${file.path} cannot be published`, problems);
  const { rows } = await client
    .query<Row>('select * from publish_content($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)', [
      workspaceId,
      type.name,
      slug,
      file.id,
      file.version,
      article.title,
      JSON.stringify(article.fields),
      article.body,
      html,
      assets,
      JSON.stringify(by),
      quotaBytes,
    ])
    .catch((error: Error) => {
      if (sqlState(error) !== 'CN409') throw error;
      throw new Unpublishable(
        'slug_taken',
        `Another file is published as ${type.name}/${slug}; unpublish it first.`,
      );
    });
  return fromRow(rows[0]!);
}

/** False if it was not published. */
export async function unpublish(
  { client, workspaceId }: Place,
  type: string,
  slug: string,
): Promise<boolean> {
  const { rows } = await client.query<{ done: boolean }>('select unpublish_content($1, $2, $3) as done', [
    workspaceId,
    type,
    slug,
  ]);
  return rows[0]!.done;
}

interface Row {
  readonly type: string;
  readonly slug: string;
  readonly file_id: string;
  readonly version: number;
  readonly title: string;
  readonly fields: Record<string, unknown>;
  readonly body: string;
  readonly html: string;
  readonly first_published_at: Date;
  readonly published_at: Date;
}

function fromRow(row: Row): Published {
  const { type, slug, version, title, fields, body, html } = row;
  return {
    type,
    slug,
    version,
    title,
    fields,
    body,
    html,
    fileId: row.file_id,
    firstPublishedAt: row.first_published_at,
    publishedAt: row.published_at,
  };
}

export async function readPublished(
  { client, workspaceId }: Place,
  type: string,
  slug: string,
): Promise<Published | null> {
  const { rows } = await client.query<Row>({
    name: 'read_published',
    text: 'select * from published where workspace_id = $1 and type = $2 and slug = $3',
    values: [workspaceId, type, slug],
  });
  return rows[0] ? fromRow(rows[0]) : null;
}

export interface PublishedQuery {
  readonly tag?: string | undefined;
  readonly sort: 'newest' | 'oldest' | 'title';
  readonly limit: number;
  /** The sort key and the slug of the last piece of the page before. */
  readonly after?: readonly [key: string, slug: string] | undefined;
}

const SORTS = {
  newest: { key: wireKey('p.first_published_at'), order: 'desc' },
  oldest: { key: wireKey('p.first_published_at'), order: 'asc' },
  title: { key: 'lower(p.title)', order: 'asc' },
} as const;

function wireKey(column: string): string {
  return `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** A page of what is published of a type, and the key of the last piece if there are more. */
export async function listPublished(
  { client, workspaceId }: Place,
  type: string,
  { tag, sort, limit, after }: PublishedQuery,
): Promise<{ readonly items: readonly Published[]; readonly next: readonly [string, string] | null }> {
  const { key, order } = SORTS[sort];
  const { rows } = await client.query<Row & { key: string }>({
    name: `list_published_${sort}`,
    text: `select p.*, ${key} as key from published p
      where p.workspace_id = $1 and p.type = $2
        and ($3::text is null or p.fields -> 'tags' ? $3)
        and ($4::text is null or (${key}, p.slug) ${order === 'asc' ? '>' : '<'} ($4, $5))
      order by ${key} ${order}, p.slug ${order} limit $6`,
    values: [workspaceId, type, tag ?? null, after?.[0] ?? null, after?.[1] ?? null, limit + 1],
  });
  const last = rows[limit - 1];
  return {
    items: rows.slice(0, limit).map(fromRow),
    next: rows.length > limit && last ? [last.key, last.slug] : null,
  };
}

/** Whether a file is shown by something that is published. */
export async function isAsset({ client, workspaceId }: Place, fileId: string): Promise<boolean> {
  const { rows } = await client.query(
    'select from published where workspace_id = $1 and assets @> array[$2::uuid] limit 1',
    [workspaceId, fileId],
  );
  return rows.length > 0;
}
