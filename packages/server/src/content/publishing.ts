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
  const { type, slug, file, article, html, shown, problems } = draft;
  if (problems.length > 0) throw invalid(`${file.path} cannot be published`, problems);
  const { rows } = await client
    .query<PublishedRow>(
      'select * from publish_content($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)',
      [
        workspaceId,
        type.name,
        slug,
        file.id,
        file.version,
        article.title,
        JSON.stringify(article.fields),
        article.body,
        html,
        shown.map(({ id }) => id),
        shown.map(({ version }) => version),
        JSON.stringify(by),
        quotaBytes,
      ],
    )
    .catch((error: Error) => {
      if (sqlState(error) !== 'CN409') throw error;
      throw new Unpublishable(
        'slug_taken',
        `Another file is published as ${type.name}/${slug}; unpublish it first.`,
      );
    });
  return toPublished(rows[0]!);
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

export interface PublishedRow {
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

export function toPublished(row: PublishedRow): Published {
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
  const { rows } = await client.query<PublishedRow>({
    name: 'read_published',
    text: 'select * from published where workspace_id = $1 and type = $2 and slug = $3',
    values: [workspaceId, type, slug],
  });
  return rows[0] ? toPublished(rows[0]) : null;
}

/** A principal, or the call of a run. */
interface PublishedBy {
  readonly kind: 'local' | 'key' | 'run';
  readonly name?: string;
  readonly run?: string;
}

/** A time at which a version of a piece went live. */
export interface Publication {
  readonly version: number;
  readonly title: string;
  readonly at: Date;
  /** When another version replaced it, or it was taken off; null while it is live. */
  readonly until: Date | null;
  readonly by: PublishedBy;
}

/** What was live of a piece and when, newest first; only versions of the file that has this slug now. */
export async function listPublications(
  { client, workspaceId }: Place,
  type: string,
  { slug, fileId }: { readonly slug: string; readonly fileId: string },
): Promise<readonly Publication[]> {
  const { rows } = await client.query<Omit<Publication, 'by'> & { published_by: string }>(
    `select version, title, at, until, published_by from publications
      where workspace_id = $1 and type = $2 and slug = $3 and file_id = $4 order by at desc`,
    [workspaceId, type, slug, fileId],
  );
  return rows.map(({ published_by, ...row }) => ({ ...row, by: JSON.parse(published_by) as PublishedBy }));
}

/** The file that readers get: the version that they ask for if a live piece shows it, or else the newest that one shows. */
export async function findShownFile(
  { client, workspaceId }: Place,
  fileId: string,
  version: number | null,
): Promise<{ readonly version: number } | null> {
  const { rows } = await client.query<{ version: number }>({
    name: 'find_shown_file',
    text: `select version from shown_files where workspace_id = $1 and file_id = $2
      order by version = $3 desc nulls last, version desc limit 1`,
    values: [workspaceId, fileId, version],
  });
  return rows[0] ?? null;
}
