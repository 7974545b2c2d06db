// The format of a backup: a zip with the rows of each table as `COPY` writes them, in `tables/<name>.copy`, and as its
// last entry `manifest.json`, which this file defines.

import { z } from 'zod';
import { isBeforeFirstRelease, migrationNames, migrationText } from '../db/migrate.ts';
import type { Queryable } from '../db/pool.ts';

export const MANIFEST = 'manifest.json';
/** The version of the format. A reader refuses a version that it does not know. */
const FORMAT = 1;

const table = z.object({
  name: z.string(),
  columns: z.array(z.string()).min(1),
  rows: z.int(),
  /** The unpacked size of its entry. */
  bytes: z.int(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const manifest = z.object({
  format: z.literal(FORMAT),
  made_at: z.string(),
  postgres: z.string(),
  /** The applied migrations, which are the version of the schema. */
  schema: z.array(z.string()).min(1),
  tables: z.array(table),
  sequences: z.array(z.object({ name: z.string(), value: z.string(), called: z.boolean() })),
});

export type Table = z.infer<typeof table>;
export type Manifest = z.infer<typeof manifest>;

export class BackupError extends Error {
  readonly code:
    | 'not_a_backup'
    | 'broken_backup'
    | 'newer_backup'
    | 'old_backup'
    | 'not_empty'
    | 'no_database'
    | 'is_a_folder'
    | 'folder_not_found'
    | 'not_writable';

  constructor(code: BackupError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export function emptyManifest(of: Omit<Manifest, 'format' | 'tables'>): Manifest {
  return { format: FORMAT, ...of, tables: [] };
}

export function readManifest(text: string): Manifest {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (cause) {
    throw new BackupError('broken_backup', `the backup's ${MANIFEST} is not JSON; use another backup`, {
      cause,
    });
  }
  const format = (given as { format?: unknown } | null)?.format;
  if (typeof format === 'number' && format > FORMAT) {
    throw new BackupError(
      'newer_backup',
      'the backup was made by a newer Continuo; restore it with that version',
    );
  }
  const result = manifest.safeParse(given);
  if (result.success) return result.data;
  throw new BackupError(
    'broken_backup',
    `the backup's ${MANIFEST} was not written by Continuo; use another backup`,
  );
}

/** Refuses a schema that this version does not know: a newer one, or one from before the first release. */
export async function refuseForeign(whose: string, schema: readonly string[]): Promise<void> {
  if (isBeforeFirstRelease(schema)) {
    throw new BackupError(
      'old_backup',
      `the ${whose} is from a Continuo before the first release, and cannot be converted; use it with that version`,
    );
  }
  const known = await migrationNames();
  const foreign = schema.filter((name) => !known.includes(name));
  if (foreign.length === 0) return;
  throw new BackupError(
    'newer_backup',
    `the ${whose} is from a newer Continuo (${foreign.join(', ')}); use that version or newer`,
  );
}

export function entryOf(table: string): string {
  return `tables/${table}.copy`;
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Settings that make the text of a value independent of the database's configuration. */
export const PLAIN_TEXT = [
  "set datestyle = 'ISO, YMD'",
  "set intervalstyle = 'postgres'",
  "set timezone = 'UTC'",
  'set extra_float_digits = 3',
  "set bytea_output = 'hex'",
  // A backup may take any amount of time.
  'set statement_timeout = 0',
  'set idle_in_transaction_session_timeout = 0',
].join('; ');

/** Not backed up: rows of `pods` are running processes, and snapshots can be rebuilt from the log. */
const RUNTIME = ['pods', 'thread_snapshots'];

const OF_OURS = `join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = current_schema()
    and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')`;

/** The tables or sequences that these migrations create. A database may also contain other people's. */
async function madeBy(schema: readonly string[], what: 'table' | 'sequence'): Promise<string[]> {
  const texts = await Promise.all(schema.map((name) => migrationText(name)));
  return texts.flatMap((text) =>
    [...text.matchAll(new RegExp(`^create ${what} (\\w+)`, 'gm'))].map((match) => match[1]!),
  );
}

/** The tables with their stored columns. A table comes after those that it refers to. */
export async function tablesOf(
  client: Queryable,
  schema: readonly string[],
): Promise<{ name: string; columns: string[] }[]> {
  const made = ['migrations', ...(await madeBy(schema, 'table'))];
  const { rows } = await client.query<{ name: string; columns: string[]; refers: string[] }>(
    `select c.relname as name,
        (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
        array(select distinct r.relname::text from pg_constraint k join pg_class r on r.oid = k.confrelid
          where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> k.conrelid) as refers
      from pg_class c ${OF_OURS} and c.relkind = 'r' order by c.relname`,
  );
  const left = rows.filter(({ name }) => made.includes(name) && !RUNTIME.includes(name));
  const ordered: typeof left = [];
  while (left.length > 0) {
    const next = left.findIndex(({ refers }) => !left.some(({ name }) => refers.includes(name)));
    if (next === -1)
      throw new Error(`tables refer to each other: ${left.map(({ name }) => name).join(', ')}`);
    ordered.push(...left.splice(next, 1));
  }
  return ordered.map(({ name, columns }) => ({ name, columns }));
}

/** The names of what the schema already contains; empty if the database is empty. */
export async function contentsOf(client: Queryable): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c ${OF_OURS} and c.relkind in ('r', 'p', 'v', 'm', 'S', 'f') order by c.relname`,
  );
  return rows.map(({ name }) => name);
}

export async function sequencesOf(
  client: Queryable,
  schema: readonly string[],
): Promise<Manifest['sequences']> {
  const sequences: Manifest['sequences'] = [];
  for (const name of await madeBy(schema, 'sequence')) {
    const found = await client.query<{ value: string; called: boolean }>(
      `select last_value::text as value, is_called as called from ${quoted(name)}`,
    );
    sequences.push({ name, ...found.rows[0]! });
  }
  return sequences;
}
