// The functions, views and triggers in sql/functions/, one per file, named like the file. A definition is applied again
// when its text has changed, and dropped when its file is gone; the table `definitions` stores the hash of each applied
// text. So they are always those of the running version, whichever migrations the database has had. A function may be
// completed from the functions of other folders (`dispatch.ts`); the stored hash is that of the completed text.
//
// Functions are applied first, then views, then triggers, because a view needs its functions, and a trigger its
// function and table. Within a kind the order does not matter: Postgres does not check function bodies while they are
// applied.

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fillDispatcher, refuseUncalled } from './dispatch.ts';
import type { Connection } from './pool.ts';

export const DEFINITIONS_TABLE =
  'create table if not exists definitions (name text primary key, hash text not null, applied_at timestamptz not null default now())';

const KINDS = ['function', 'view', 'trigger'] as const;

export interface Definition {
  readonly kind: (typeof KINDS)[number];
  /** As SQL names it: `function enqueue_run`, `view chat_messages`, `trigger events_append_only on events`. */
  readonly name: string;
  readonly text: string;
  readonly hash: string;
}

/** Reads the files of sql/functions/. The result is in the order in which to apply them. */
export async function readDefinitions(sql: URL): Promise<readonly Definition[]> {
  const folder = new URL('functions/', sql);
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.sql'));
  const files = await Promise.all(
    paths.toSorted().map(async (path) => parse(path, await readFile(new URL(path, folder), 'utf8'))),
  );
  refuseNamesakes(files);
  const functions = files.filter(({ kind }) => kind === 'function');
  refuseUncalled(functions);
  return files
    .map(({ kind, name, on, text: template }): Definition => {
      const text = fillDispatcher(template, functions);
      const hash = createHash('sha256').update(text).digest('hex');
      return { kind, name: `${kind} ${name}${on}`, text, hash };
    })
    .toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || (a.name < b.name ? -1 : 1));
}

interface DefinitionFile {
  /** Below sql/functions/. */
  readonly path: string;
  readonly kind: Definition['kind'];
  readonly name: string;
  /** ` on <table>` for a trigger, otherwise empty. */
  readonly on: string;
  readonly text: string;
}

function parse(path: string, text: string): DefinitionFile {
  const statements = [...text.matchAll(/^create or replace (function|view|trigger) (\w+)/gm)];
  const [, kind, name] = statements[0] ?? [];
  if (statements.length !== 1 || name !== basename(path, '.sql')) {
    throw new Error(
      `sql/functions/${path} must hold one "create or replace" of a function, view or trigger that is named like the file`,
    );
  }
  const on = kind === 'trigger' ? ` on ${/\son (\w+)/.exec(text.slice(statements[0]!.index))![1]}` : '';
  return { path, kind: kind as Definition['kind'], name, on, text };
}

/** Two folders may add to the same function: neither may replace what the other has added. */
function refuseNamesakes(files: readonly DefinitionFile[]): void {
  const paths = new Map<string, string>();
  for (const { path, kind, name, on } of files) {
    const earlier = paths.get(`${kind} ${name}${on}`);
    if (earlier !== undefined)
      throw new Error(`sql/functions/${path} and ${earlier} define the same ${kind}`);
    paths.set(`${kind} ${name}${on}`, path);
  }
}

/** The names of the definitions that differ between the files and the database. */
export function outdated(
  definitions: readonly Definition[],
  applied: ReadonlyMap<string, string>,
): readonly string[] {
  const wanted = new Map(definitions.map(({ name, hash }) => [name, hash]));
  return [
    ...[...wanted].filter(([name, hash]) => applied.get(name) !== hash).map(([name]) => name),
    ...[...applied.keys()].filter((name) => !wanted.has(name)),
  ];
}

/**
 * Brings the database's functions, views and triggers in line with the files. Runs in the caller's transaction. Returns
 * the names of those that changed.
 */
export async function applyDefinitions(
  client: Connection,
  definitions: readonly Definition[],
  applied: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  await client.query('set local check_function_bodies = off');
  const wanted = new Set(definitions.map(({ name }) => name));
  const views = [...new Set([...wanted, ...applied.keys()])].filter((name) => name.startsWith('view '));
  const changed: string[] = [];
  for (const kind of KINDS) {
    // Looked up again for each kind: a migration, or a function's new signature, may have dropped a view.
    const existing = await existingOf(client, kind);
    for (const definition of definitions) {
      if (definition.kind !== kind) continue;
      if (applied.get(definition.name) === definition.hash && existing.has(definition.name)) continue;
      await apply(client, definition, views);
      await client.query(
        `insert into definitions (name, hash) values ($1, $2)
          on conflict (name) do update set hash = excluded.hash, applied_at = excluded.applied_at`,
        [definition.name, definition.hash],
      );
      changed.push(definition.name);
    }
  }
  for (const kind of KINDS.toReversed()) {
    for (const name of applied.keys()) {
      if (wanted.has(name) || !name.startsWith(`${kind} `)) continue;
      await client.query(`drop ${name.replace(' ', ' if exists ')}`);
      await client.query('delete from definitions where name = $1', [name]);
      changed.push(name);
    }
  }
  return changed;
}

/**
 * SQLSTATEs of a `create or replace` that would change what callers see: a function's result type, a view's columns.
 */
const SHAPE_CHANGED = new Set(['42P13', '42P16']);

async function apply(client: Connection, definition: Definition, views: readonly string[]): Promise<void> {
  const before = await signaturesOf(client, definition);
  try {
    await client.query('savepoint definition');
    const same = await client.query(definition.text).then(
      () => true,
      (error: { code?: string }) => {
        if (SHAPE_CHANGED.has(error.code ?? '')) return false;
        throw error;
      },
    );
    if (!same) {
      await client.query('rollback to savepoint definition');
      await drop(client, definition, before, views);
      await client.query(definition.text);
    } else if (before.length > 0 && (await signaturesOf(client, definition)).length > before.length) {
      // With other arguments, Postgres has created a second function beside the old one.
      await drop(client, definition, before, views);
    }
  } catch (cause) {
    throw new Error(`${definition.name} cannot be applied: ${(cause as Error).message}`, { cause });
  }
}

/**
 * Drops a definition that `create or replace` cannot replace. Our own views may depend on a function: they are dropped
 * with it and applied again. If anything else depends on it, Postgres refuses, and the migration fails.
 */
async function drop(
  client: Connection,
  { kind, name }: Definition,
  signatures: readonly string[],
  views: readonly string[],
): Promise<void> {
  if (kind !== 'function') return void (await client.query(`drop ${name}`));
  const names = views.map((view) => view.replace('view ', ''));
  if (names.length > 0) await client.query(`drop view if exists ${names.join(', ')}`);
  for (const signature of signatures) await client.query(`drop function ${signature}`);
}

async function signaturesOf(client: Connection, { kind, name }: Definition): Promise<readonly string[]> {
  if (kind !== 'function') return [];
  const { rows } = await client.query<{ signature: string }>(
    `select oid::regprocedure::text as signature from pg_proc
      where pronamespace = current_schema()::regnamespace and 'function ' || proname = $1`,
    [name],
  );
  return rows.map(({ signature }) => signature);
}

const EXISTING = {
  function: `select 'function ' || proname as name from pg_proc where pronamespace = current_schema()::regnamespace`,
  view: `select 'view ' || relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'v'`,
  trigger: `select format('trigger %s on %s', t.tgname, c.relname) as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = current_schema()::regnamespace`,
};

async function existingOf(client: Connection, kind: Definition['kind']): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string }>(EXISTING[kind]);
  return new Set(rows.map(({ name }) => name));
}
