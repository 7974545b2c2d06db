// The configured servers of a workspace, and how a configuration is expanded on this machine.

import type { McpConfig } from '@continuo/protocol';
import { transaction, type Pool, type Queryable } from '../db/pool.ts';
import { MOST_SERVERS } from './limits.ts';
import type { SessionOptions } from './session.ts';

export interface ServerRow {
  readonly workspaceId: string;
  readonly name: string;
  readonly config: McpConfig;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Changes whenever the row changes. */
  readonly stamp: string;
}

interface Row {
  workspace_id: string;
  name: string;
  config: string;
  created_at: Date;
  updated_at: Date;
  stamp: string;
}

// The secrets that a configuration names are part of its stamp: a server whose secret changes is restarted.
const COLUMNS = `workspace_id, name, config, created_at, updated_at, updated_at::text || coalesce((
  select string_agg(s.name || ' ' || s.updated_at::text, ' ' order by s.name) from secrets s
  where s.workspace_id = mcp_servers.workspace_id
    and strpos(mcp_servers.config::text, '\${secret:' || s.name || '}') > 0), '') as stamp`;

export async function listServers(client: Queryable, workspaceId: string): Promise<ServerRow[]> {
  const { rows } = await client.query<Row>({
    name: 'list_mcp_servers',
    text: `select ${COLUMNS} from mcp_servers
      where workspace_id = $1 and exists (select from workspaces where id = $1 and removed_at is null)
      order by name`,
    values: [workspaceId],
  });
  return rows.map(fromRow);
}

export type Put =
  | { readonly kind: 'stored'; readonly created: boolean }
  | { readonly kind: 'no_workspace' }
  | { readonly kind: 'too_many' }
  /** The request asks to keep the stored values of these names, but there are none. */
  | { readonly kind: 'nothing_to_keep'; readonly paths: readonly string[] };

export function putServer(pool: Pool, workspaceId: string, name: string, given: McpConfig): Promise<Put> {
  return transaction(pool, async (client): Promise<Put> => {
    // Serialises concurrent writes, so that the count and the kept values are current.
    const { rowCount } = await client.query(
      'select from workspaces where id = $1 and removed_at is null for no key update',
      [workspaceId],
    );
    if (rowCount === 0) return { kind: 'no_workspace' };
    const rows = await listServers(client, workspaceId);
    const before = rows.find((row) => row.name === name);
    if (!before && rows.length >= MOST_SERVERS) return { kind: 'too_many' };
    const { config, missing } = withKept(given, before?.config);
    if (missing.length > 0) return { kind: 'nothing_to_keep', paths: missing };
    await client.query(
      `insert into mcp_servers (workspace_id, name, config, enabled) values ($1, $2, $3, $4)
       on conflict (workspace_id, name) do update
         set config = excluded.config, enabled = excluded.enabled, updated_at = clock_timestamp()`,
      [workspaceId, name, JSON.stringify(config), config.enabled],
    );
    return { kind: 'stored', created: !before };
  });
}

export async function deleteServer(client: Queryable, workspaceId: string, name: string): Promise<boolean> {
  const { rowCount } = await client.query('delete from mcp_servers where workspace_id = $1 and name = $2', [
    workspaceId,
    name,
  ]);
  return rowCount === 1;
}

/** Marks the row as changed, which restarts the server on every pod. */
export async function touchServer(client: Queryable, workspaceId: string, name: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'update mcp_servers set updated_at = clock_timestamp() where workspace_id = $1 and name = $2',
    [workspaceId, name],
  );
  return rowCount === 1;
}

function fromRow(row: Row): ServerRow {
  return {
    workspaceId: row.workspace_id,
    name: row.name,
    config: JSON.parse(row.config) as McpConfig,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    stamp: row.stamp,
  };
}

/** The configuration with the names of its secrets but without their values. */
export function withoutValues(config: McpConfig): McpConfig {
  const hide = (values: Readonly<Record<string, string | null>>) =>
    Object.fromEntries(Object.keys(values).map((name) => [name, null]));
  return config.transport === 'stdio'
    ? { ...config, env: hide(config.env) }
    : { ...config, headers: hide(config.headers) };
}

type Values = Readonly<Record<string, string | null>>;

function withKept(
  given: McpConfig,
  before: McpConfig | undefined,
): { config: McpConfig; missing: readonly string[] } {
  const missing: string[] = [];
  const keep = (values: Values, old: Values, path: string) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        const stored = value ?? (Object.hasOwn(old, name) ? old[name]! : null);
        if (stored === null) missing.push(`${path}.${name}`);
        return [name, stored];
      }),
    );
  const config: McpConfig =
    given.transport === 'stdio'
      ? { ...given, env: keep(given.env, before?.transport === 'stdio' ? before.env : {}, 'env') }
      : {
          ...given,
          headers: keep(given.headers, before?.transport === 'http' ? before.headers : {}, 'headers'),
        };
  return { config, missing };
}

/** The variables that every process needs to find programs and the user's files. A configuration names all others. */
const INHERITED = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'TMPDIR'];

type Environment = Readonly<Record<string, string | undefined>>;

const SECRET = /\$\{secret:(\w+)\}/g;

/** The names of the workspace's secrets that the values of `env` or `headers` refer to. */
export function secretNamesIn(config: McpConfig): readonly string[] {
  const values = Object.values(config.transport === 'stdio' ? config.env : config.headers);
  return values.flatMap((value) => [...(value ?? '').matchAll(SECRET)].map(([, name]) => name!));
}

/**
 * Replaces `${NAME}` by a variable's value, and in the values of `env` and `headers` also `${secret:NAME}` by a secret's. Throws if there
 * is no such variable. `secrets` must never be shown.
 */
export function expand(
  config: McpConfig,
  env: Environment,
  known: ReadonlyMap<string, string> = new Map(),
): { place: SessionOptions['place']; secrets: readonly string[] } {
  const fill = (text: string) => {
    if (text.search(SECRET) >= 0)
      throw new Error('a secret of the workspace can be used in `env` and `headers` only');
    return text.replaceAll(/\$\{([A-Za-z_]\w*)\}/g, (_, name: string) => {
      const value = env[name];
      if (value === undefined) throw new Error(`the server has no environment variable ${name}`);
      return value;
    });
  };
  const fillSecret = (text: string) =>
    text
      .split(/(\$\{secret:\w+\})/)
      // A secret's value is taken as it is, even if it looks like a reference.
      .map((part, index) => (index % 2 === 0 ? fill(part) : known.get(part.slice(9, -1))!))
      .join('');
  const fillAll = (values: Values) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fillSecret(value ?? '')]));
  if (config.transport === 'http') {
    const headers = fillAll(config.headers);
    return { place: { transport: 'http', url: fill(config.url), headers }, secrets: secretsOf(headers) };
  }
  const named = fillAll(config.env);
  const inherited = INHERITED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
  const { command, args, cwd } = config;
  return {
    place: {
      transport: 'stdio',
      command,
      args: args.map(fill),
      cwd,
      env: { ...Object.fromEntries(inherited), ...named },
    },
    secrets: secretsOf(named),
  };
}

function secretsOf(values: Readonly<Record<string, string>>): string[] {
  // An error may quote only the `abc` of `Bearer abc`.
  return Object.values(values).flatMap((value) => [value, ...value.split(/\s+/)]);
}
