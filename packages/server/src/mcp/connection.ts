// A server's connection on this pod: opens it, and after a failure opens it again with back-off. Its tools are those of the open
// session; without one it has none.

import type { Logger } from 'pino';
import { withoutSecrets, withoutSecretsIn } from '../workspaces/hidden-values.ts';
import { ToolFailure } from '../tools/tool.ts';
import type { Guard } from './guard.ts';
import { RETRY_FIRST_MS, RETRY_MOST_MS, STABLE_MS, START_MS } from './limits.ts';
import { expand, secretNamesIn, type ServerRow } from './rows.ts';
import type { Session, World } from './session.ts';
import { readTools, type ListedTool, type Listing, type McpCallContext } from './tools.ts';

export type ConnectionState =
  | { readonly status: 'connecting'; readonly since: number }
  | { readonly status: 'ready'; readonly since: number; readonly listing: Listing }
  | {
      readonly status: 'failed';
      readonly since: number;
      readonly reason: string;
      readonly retryAt: number;
    };

export interface Connection {
  readonly state: ConnectionState;
  readonly tools: readonly ListedTool[];
  /** Resolves when the first attempt to connect has ended. Nothing waits for later attempts. */
  readonly tried: Promise<void>;
  readonly isFirstTry: boolean;
  stop(): Promise<void>;
}

export interface ConnectionOptions {
  readonly row: ServerRow;
  readonly world: World;
  readonly guard: Guard;
  readonly log: Logger;
  /** This process's environment variables, which configurations can refer to. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads a secret of the server's workspace. */
  readonly secret: (name: string) => Promise<string>;
  /** Resolves when the connection that this one replaces is closed. */
  readonly after: Promise<void>;
  readonly onChange: () => void;
}

export function createConnection(options: ConnectionOptions): Connection {
  const { row, world, guard, env, secret, onChange } = options;
  const log = options.log.child({ mcp_server: row.name, workspace: row.workspaceId });
  let state: ConnectionState = { status: 'connecting', since: world.now() };
  let session: Session | null = null;
  let failures = 0;
  let stopped = false;
  let giveUp = new AbortController();
  let callOff = () => {};
  /** The values of the workspace's secrets that the server was given. It may send them back. */
  let given: readonly string[] = [];

  const enter = (next: ConnectionState): void => {
    state = next;
    onChange();
  };

  const fail = (reason: string): void => {
    session = null;
    if (stopped) return;
    if (state.status === 'ready' && world.now() - state.since >= STABLE_MS) failures = 0;
    const pause = Math.min(RETRY_FIRST_MS * 2 ** failures, RETRY_MOST_MS);
    failures += 1;
    log.warn({ reason, retry_ms: pause }, 'an MCP server failed');
    callOff = world.timer(pause, () => {
      opening = open();
    });
    enter({ status: 'failed', since: world.now(), reason, retryAt: world.now() + pause });
  };

  const call = async (
    tool: string,
    input: Record<string, unknown>,
    context: McpCallContext,
  ): Promise<unknown> => {
    if (!session) {
      const reason = state.status === 'failed' ? state.reason : 'it is starting';
      throw new ToolFailure(`the call was not made: the MCP server ${row.name} is not connected (${reason})`);
    }
    const ask: McpCallContext['ask'] = ({ text, schema }) =>
      context.ask({
        text: withoutSecrets(text, given),
        schema: withoutSecretsIn(schema, given) as typeof schema,
      });
    try {
      return withoutSecretsIn(await session.call(tool, input, { ...context, ask }), given);
    } catch (error) {
      if (error instanceof Error) error.message = withoutSecrets(error.message, given);
      throw error;
    }
  };

  const open = async (): Promise<void> => {
    await options.after;
    if (stopped) return;
    giveUp = new AbortController();
    enter({ status: 'connecting', since: world.now() });
    const seconds = START_MS / 1000;
    const inTime = world.timer(START_MS, () => giveUp.abort(`it did not start within ${seconds} s`));
    let listed: readonly unknown[] = [];
    let lost: string | null = null;
    try {
      const known = new Map<string, string>();
      for (const name of secretNamesIn(row.config)) known.set(name, await secret(name));
      given = [...known.values()];
      const { place, secrets } = expand(row.config, env, known);
      const { openSession } = await import('./session.ts');
      const ready = (): void => {
        const since = state.status === 'ready' ? state.since : world.now();
        const listing = readTools(listed, { server: row.name, trust: row.config.trust, call });
        enter({ status: 'ready', since, listing });
      };
      const opened = await openSession({
        place,
        hide: (text) => withoutSecrets(text, secrets),
        world,
        guard,
        timeoutMs: row.config.timeout_seconds * 1000,
        signal: giveUp.signal,
        onLost: (reason) => {
          lost = reason;
          if (session !== null) fail(reason);
        },
        onTools: (tools) => {
          listed = tools.map((tool) => withoutSecretsIn(tool, given));
          if (session !== null) ready();
        },
      });
      session = opened;
      if (stopped) return await opened.close();
      if (lost !== null) return fail(lost);
      ready();
    } catch (error) {
      fail(error instanceof Error ? error.message : String(error));
    } finally {
      inTime();
    }
  };

  let opening = open();
  return {
    get state() {
      return state;
    },
    get tools() {
      return state.status === 'ready' ? state.listing.tools : [];
    },
    tried: opening,
    get isFirstTry() {
      return failures === 0 && state.status === 'connecting';
    },
    stop: async () => {
      stopped = true;
      callOff();
      giveUp.abort('it was stopped');
      await opening;
      await session?.close();
      session = null;
    },
  };
}
