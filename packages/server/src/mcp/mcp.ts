// The MCP servers of all workspaces on this pod. A workspace's servers are connected when its tools are first needed, and follow
// its configured rows from then on.

import type { Logger } from 'pino';
import type { McpConfig } from '@continuo/protocol';
import { defineTopic, oneField, type Bus } from '../bus/bus.ts';
import type { Pool } from '../db/pool.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import type { AnyTool } from '../tools/registry.ts';
import { SECRETS_CHANGED, type Secrets } from '../workspaces/secrets.ts';
import { createConnection, type Connection, type ConnectionState } from './connection.ts';
import { createGuard } from './guard.ts';
import { REREAD_MS } from './limits.ts';
import { deleteServer, listServers, putServer, touchServer, type Put, type ServerRow } from './rows.ts';
import type { World } from './session.ts';

/** A workspace's server configuration changed, or a restart was requested: every pod reads the rows again. */
export const MCP_CHANGED = defineTopic('mcp.changed', oneField('workspaceId'));
/** On this pod, the workspace's set of servers changed, or the state or tools of one of them. Not sent to other pods. */
export const MCP_STATE_CHANGED = defineTopic('mcp.state_changed', oneField('workspaceId'));

export interface McpOptions {
  readonly pool: Pool;
  readonly log: Logger;
  readonly now: () => number;
  /** This process's environment variables, which configurations can refer to. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timer?: World['timer'];
  readonly bus: Bus;
  readonly outgoing: Outgoing;
  readonly secrets: Pick<Secrets, 'read'>;
}

export interface Mcp {
  /** The tools that runs in the workspace may call now. Waits for the first start of each server, as long as that may take. */
  toolsOf(workspaceId: string): readonly AnyTool[] | Promise<readonly AnyTool[]>;
  /** Every configured server; its state is null if it is disabled. Waits for none of them. */
  serversOf(workspaceId: string): Promise<readonly { row: ServerRow; state: ConnectionState | null }[]>;
  /**
   * Tells of a tool's name whether a run could have the tool: an enabled server of the workspace lists it, or is not connected to
   * this pod, so its tools are unknown. Connects to no server.
   */
  mayHave(workspaceId: string): Promise<(tool: string) => boolean>;
  /** The servers on this pod that `toolsOf` is waiting for. */
  startingIn(workspaceId: string): readonly string[];
  put(workspaceId: string, name: string, config: McpConfig): Promise<Put>;
  /** False if there is no such server. */
  remove(workspaceId: string, name: string): Promise<boolean>;
  /** Restarts the server on every pod; false if there is no such server. */
  restart(workspaceId: string, name: string): Promise<boolean>;
  /** Call after changing the workspace's rows: this pod reads them again at once, and tells the other pods to. */
  changed(workspaceId: string): Promise<void>;
  close(): Promise<void>;
}

interface Workspace {
  rows: readonly ServerRow[];
  readAt: number;
  reading: Promise<void>;
  readonly connections: Map<string, { readonly stamp: string; readonly connection: Connection }>;
}

export function createMcp({ pool, log, env, bus, outgoing, secrets, ...options }: McpOptions): Mcp {
  const world: World = { now: options.now, timer: options.timer ?? realTimer, fetch: outgoing.fetch };
  const guard = createGuard((error) =>
    log.warn({ reason: error.message }, 'the process that ends orphaned MCP servers failed'),
  );
  const workspaces = new Map<string, Workspace>();
  const stopping = new Set<Promise<void>>();
  let closed = false;

  const stop = (connection: Connection): Promise<void> => {
    const stopped = connection.stop();
    stopping.add(stopped);
    return stopped.finally(() => stopping.delete(stopped));
  };

  const follow = (workspaceId: string, workspace: Workspace, rows: readonly ServerRow[]): void => {
    const { connections } = workspace;
    const wanted = new Map(rows.filter(({ config }) => config.enabled).map((row) => [row.name, row]));
    const gone = new Map<string, Promise<void>>();
    for (const [name, { stamp, connection }] of connections) {
      if (wanted.get(name)?.stamp === stamp) continue;
      connections.delete(name);
      gone.set(name, stop(connection));
    }
    for (const [name, row] of wanted) {
      if (connections.has(name)) continue;
      const connection = createConnection({
        row,
        world,
        guard,
        log,
        env,
        secret: (secret) => secrets.read(workspaceId, secret),
        after: gone.get(name) ?? Promise.resolve(),
        onChange: () => bus.deliver(MCP_STATE_CHANGED, { workspaceId }),
      });
      connections.set(name, { stamp: row.stamp, connection });
    }
    const isOther = stampsOf(rows) !== stampsOf(workspace.rows);
    workspace.rows = rows;
    if (isOther) bus.deliver(MCP_STATE_CHANGED, { workspaceId });
  };

  const read = (workspaceId: string, oldest: number): Promise<Workspace> => {
    let workspace = workspaces.get(workspaceId);
    if (!workspace) {
      workspace = { rows: [], readAt: -Infinity, reading: Promise.resolve(), connections: new Map() };
      workspaces.set(workspaceId, workspace);
    }
    const known = workspace;
    // One read at a time, so that an older result cannot overwrite a newer one.
    const reading = known.reading
      .catch(() => undefined)
      .then(async () => {
        if (closed || known.readAt > oldest) return;
        const at = world.now();
        const rows = await listServers(pool, workspaceId);
        known.readAt = at;
        if (!closed) follow(workspaceId, known, rows);
      });
    known.reading = reading;
    return reading.then(() => known);
  };

  const changed = async (workspaceId: string): Promise<void> => {
    await read(workspaceId, Infinity);
    await bus.publish(MCP_CHANGED, { workspaceId });
  };
  /** A failed read is repeated when tools are next needed. */
  const readAgain = (workspaceId: string): void => {
    if (workspaces.has(workspaceId)) read(workspaceId, Infinity).catch(() => undefined);
  };
  bus.subscribe(MCP_CHANGED, {
    message: ({ workspaceId }, origin) => {
      if (origin === 'elsewhere') readAgain(workspaceId);
    },
    rescan: () => {
      for (const workspaceId of workspaces.keys()) readAgain(workspaceId);
    },
  });
  // A rescan is for both topics.
  bus.subscribe(SECRETS_CHANGED, {
    message: ({ workspaceId }) => readAgain(workspaceId),
    rescan: () => undefined,
  });

  return {
    toolsOf: (workspaceId) => {
      const known = workspaces.get(workspaceId);
      if (!known || known.readAt === -Infinity) return read(workspaceId, -Infinity).then(triedTools);
      // Changes arrive over the bus. This background read only covers lost messages.
      const oldest = world.now() - REREAD_MS;
      if (known.readAt <= oldest) read(workspaceId, oldest).catch(() => undefined);
      const isTrying = [...known.connections.values()].some(({ connection }) => connection.isFirstTry);
      return isTrying ? triedTools(known) : toolsIn(known);
    },
    serversOf: async (workspaceId) => {
      const { rows, connections } = await read(workspaceId, Infinity);
      return rows.map((row) => ({ row, state: connections.get(row.name)?.connection.state ?? null }));
    },
    mayHave: async (workspaceId) => {
      const known = workspaces.get(workspaceId);
      const rows = known && known.readAt > -Infinity ? known.rows : await listServers(pool, workspaceId);
      return (tool) =>
        rows.some(({ name, config }) => {
          if (!config.enabled || !tool.startsWith(`${name}__`)) return false;
          const connection = known?.connections.get(name)?.connection;
          return (
            connection?.state.status !== 'ready' || connection.tools.some(({ run }) => run.name === tool)
          );
        });
    },
    startingIn: (workspaceId) => {
      const known = [...(workspaces.get(workspaceId)?.connections ?? [])];
      return known.filter(([, { connection }]) => connection.isFirstTry).map(([name]) => name);
    },
    put: async (workspaceId, name, config) => {
      const put = await putServer(pool, workspaceId, name, config);
      if (put.kind === 'stored') await changed(workspaceId);
      return put;
    },
    remove: async (workspaceId, name) => {
      const removed = await deleteServer(pool, workspaceId, name);
      if (removed) await changed(workspaceId);
      return removed;
    },
    restart: async (workspaceId, name) => {
      const touched = await touchServer(pool, workspaceId, name);
      if (touched) await changed(workspaceId);
      return touched;
    },
    changed,
    close: async () => {
      closed = true;
      await Promise.all([...workspaces.values()].map(({ reading }) => reading.catch(() => undefined)));
      for (const { connections } of workspaces.values()) {
        for (const { connection } of connections.values()) void stop(connection);
        connections.clear();
      }
      await Promise.all(stopping);
      guard.close();
    },
  };
}

function stampsOf(rows: readonly ServerRow[]): string {
  return rows.map(({ name, stamp }) => `${name} ${stamp}`).join('\n');
}

function toolsIn({ connections }: Workspace): readonly AnyTool[] {
  return [...connections.values()].flatMap(({ connection }) => connection.tools.map(({ run }) => run));
}

async function triedTools(workspace: Workspace): Promise<readonly AnyTool[]> {
  await Promise.all([...workspace.connections.values()].map(({ connection }) => connection.tried));
  return toolsIn(workspace);
}

function realTimer(milliseconds: number, work: () => void): () => void {
  const timer = setTimeout(work, milliseconds);
  timer.unref();
  return () => clearTimeout(timer);
}
