// What the tests of MCP servers share: the real servers from npm, servers for tests, a clock, and a world of its own.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { watch } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll } from 'vitest';
import type { McpConfig } from '@continuo/protocol';
import { schemas } from '@continuo/protocol';
import { freshDatabase, type TestDatabase } from '@continuo/testkit/fixtures';
import { createLogger } from '../../src/telemetry/logger.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { createMcp, MCP_STATE_CHANGED, type Mcp, type McpOptions } from '../../src/mcp/mcp.ts';
import { putServer } from '../../src/mcp/rows.ts';
import { createOutgoing } from '../../src/outgoing/outgoing.ts';
import type { AnyTool } from '../../src/tools/registry.ts';
import { busOn } from '../bus/support.ts';

const require = createRequire(import.meta.url);
export const FILESYSTEM = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
export const MEMORY = require.resolve('@modelcontextprotocol/server-memory/dist/index.js');
export const EVERYTHING = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');
export const FETCH = fileURLToPath(new URL('./fixture/fetch.ts', import.meta.url));
export const RUDE = fileURLToPath(new URL('./fixture/rude.ts', import.meta.url));

/** A configuration that starts a script with this Node. */
export function node(args: readonly string[], more: Record<string, unknown> = {}): McpConfig {
  return schemas.mcpConfig.parse({ transport: 'stdio', command: process.execPath, args, ...more });
}

interface Clock {
  readonly now: () => number;
  readonly timer: NonNullable<McpOptions['timer']>;
  /** What is due until then happens now, in its order. */
  readonly advance: (milliseconds: number) => void;
  /** How long each timer that is set has to wait, the soonest first. */
  readonly waiting: readonly number[];
}

function createClock(): Clock {
  let time = 1_800_000_000_000;
  const timers = new Set<{ at: number; work: () => void }>();
  const next = () => [...timers].toSorted((a, b) => a.at - b.at);
  return {
    now: () => time,
    timer: (milliseconds, work) => {
      const timer = { at: time + milliseconds, work };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: (milliseconds) => {
      const end = time + milliseconds;
      for (let due = next()[0]; due && due.at <= end; due = next()[0]) {
        timers.delete(due);
        time = due.at;
        due.work();
      }
      time = end;
    },
    get waiting() {
      return next().map(({ at }) => at - time);
    },
  };
}

export interface McpWorld {
  readonly pool: Pool;
  readonly folder: string;
  readonly logged: () => string;
  workspace(): Promise<string>;
  put(workspaceId: string, name: string, config: McpConfig): Promise<void>;
  /** With a clock that stands still unless the test moves it. */
  open(options?: Partial<McpOptions>): Opened;
}

type State = NonNullable<Awaited<ReturnType<Mcp['serversOf']>>[number]['state']>;

interface Opened {
  readonly mcp: Mcp;
  readonly clock: Clock;
  /** Waits for a server's state, entered at a time after `after`. */
  readonly state: <S extends State['status']>(
    workspaceId: string,
    name: string,
    status: S,
    after?: number,
  ) => Promise<Extract<State, { status: S }>>;
  /** Waits until the tools are as they should be. */
  readonly tools: (
    workspaceId: string,
    wanted: (tools: readonly AnyTool[]) => boolean,
  ) => Promise<readonly AnyTool[]>;
}

export function useMcp(): McpWorld {
  let database: TestDatabase;
  let pool: Pool;
  let folder: string;
  let logged = '';
  const opened: Mcp[] = [];
  const outgoing = createOutgoing({ allow: ['127.0.0.1'] });
  beforeAll(async () => {
    database = await freshDatabase();
    pool = createPool(
      { connection: database.url, applicationName: 'continuo-mcp', leaseSeconds: 30 },
      () => undefined,
    );
    folder = await mkdtemp(join(tmpdir(), 'continuo-mcp-'));
  });
  afterAll(async () => {
    await Promise.all(opened.map((mcp) => mcp.close()));
    await outgoing.close();
    await pool.end();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    get pool() {
      return pool;
    },
    get folder() {
      return folder;
    },
    logged: () => logged,
    workspace: async () => {
      const id = uuidv7();
      await pool.query('insert into workspaces (id, name) values ($1, $2)', [id, id]);
      return id;
    },
    put: async (workspaceId, name, config) => {
      const put = await putServer(pool, workspaceId, name, config);
      if (put.kind !== 'stored') throw new Error(put.kind);
    },
    open: (options = {}) => {
      const clock = createClock();
      const listeners = new Set<() => void>();
      const destination = { write: (line: string) => void (logged += line) };
      const bus = busOn(pool, { alone: true });
      const tell = () => listeners.forEach((listener) => listener());
      bus.subscribe(MCP_STATE_CHANGED, { message: tell, rescan: tell });
      const mcp = createMcp({
        pool,
        log: createLogger({ level: 'debug', pretty: false, destination }),
        now: clock.now,
        timer: clock.timer,
        env: process.env,
        bus,
        outgoing,
        secrets: { read: (_, name) => Promise.reject(new Error(`there is no secret ${name}`)) },
        ...options,
      });
      opened.push(mcp);
      const when = <T>(look: () => Promise<T | null>): Promise<T> =>
        new Promise((resolve, reject) => {
          const again = () =>
            void look().then((found) => {
              if (found === null) return;
              listeners.delete(again);
              resolve(found);
            }, reject);
          listeners.add(again);
          again();
        });
      return {
        mcp,
        clock,
        state: <S extends State['status']>(workspaceId: string, name: string, status: S, after = 0) =>
          when<Extract<State, { status: S }>>(async () => {
            const servers = await mcp.serversOf(workspaceId);
            const state = servers.find(({ row }) => row.name === name)?.state;
            return state?.status === status && state.since > after ? (state as never) : null;
          }),
        tools: (workspaceId, wanted) =>
          when(async () => {
            const tools = await mcp.toolsOf(workspaceId);
            return wanted(tools) ? tools : null;
          }),
      };
    },
  };
}

const never = new AbortController().signal;

/** Calls a tool as a run would, after the same check of its input. */
export async function call(
  tools: readonly AnyTool[],
  name: string,
  input: Record<string, unknown> = {},
  signal = never,
): Promise<unknown> {
  const tool = tools.find((each) => each.name === name);
  if (!tool || tool.effect === 'transactional') throw new Error(`there is no tool ${name}`);
  const about = {
    workspaceId: 'w',
    threadId: 't',
    runId: 'r',
    callId: 'c',
    key: 'r:c',
    signal,
    principal: { kind: 'local' } as const,
  };
  const ask = () => Promise.resolve({ kind: 'canceled' } as const);
  const secret = () => Promise.reject(new Error('there is no secret'));
  const files = { ask, used: () => {}, known: () => null, learned: () => {}, show: () => {}, secret };
  return tool.run(tool.input.parse(input), { ...about, ...files });
}

/** Waits until a file has a line that matches; resolves to the match. */
export async function line(file: string, pattern: RegExp): Promise<RegExpMatchArray> {
  const watching = new AbortController();
  try {
    return await new Promise((resolve, reject) => {
      const look = () =>
        void readFile(file, 'utf8').then((text) => {
          const found = text.match(pattern);
          if (found) resolve(found);
        }, reject);
      watch(file, { signal: watching.signal }, look);
      look();
    });
  } finally {
    watching.abort();
  }
}

export async function lines(file: string): Promise<string[]> {
  return (await readFile(file, 'utf8')).split('\n').slice(0, -1);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
