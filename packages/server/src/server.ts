// The composition root: wires the database, the log, the pod, the run loop and HTTP, and takes them down in order.

import type { AddressInfo } from 'node:net';
import { createServer, type Server as HttpServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import type { Logger } from 'pino';
import { makePrivateHome, openEmbedded, type EmbeddedDatabase } from '@continuo/postgres';
import type { PolicyRule } from '@continuo/protocol';
import { Pod, queueAgeSeconds } from './actors/pod.ts';
import { createAgents } from './agents/agent.ts';
import { createRoles, subscribeRoles } from './agents/roles.ts';
import { PostgresBus } from './bus/postgres.ts';
import type { Config } from './config.ts';
import { migrate } from './db/migrate.ts';
import { createPool, type DatabaseSettings } from './db/pool.ts';
import { Storage } from './db/storage.ts';
import type { Faults } from './faults.ts';
import { createApp } from './http/app.ts';
import { answerBadRequest, answerMalformed } from './http/kernel/malformed.ts';
import { Streams } from './http/kernel/sse.ts';
import { WorkspaceHints } from './http/kernel/workspace-hints.ts';
import { Writer } from './log/append.ts';
import { Followers, FollowersOf } from './log/follow.ts';
import { announceOn, subscribeFollowers } from './log/notice.ts';
import { Recent } from './log/tail-cache.ts';
import { createMcp, type Mcp } from './mcp/mcp.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { keepPersonToken, personLink } from './identity/person-token.ts';
import { createModels, MODEL_KEYS } from './models/catalog.ts';
import { createChatHeads, subscribeChatMirror } from './threads/chats/chat-heads.ts';
import { createChatFiles } from './threads/chats/chat-files.ts';
import { createRunLoop } from './runs/loop/loop.ts';
import { createOriginOf } from './threads/origin-cache.ts';
import { readPolicy } from './tools/policies.ts';
import { writeAuditSettings } from './threads/chats/read-chats.ts';
import { States } from './runs/loop/thread-state-cache.ts';
import { createBuiltInTools } from './files/tools/index.ts';
import { createToolRegistry, type AnyTool, type ToolRegistry } from './tools/registry.ts';
import { readChangeRows, subscribeChangeFollowers, type ChangeRow } from './files/changes.ts';
import { startChores, type Chores } from './upkeep/chores.ts';
import { createMirrors, subscribeMirrors, type DiskMirrors } from './files/mirror/mirrors.ts';
import { startIndexer, subscribeIndexer, type Indexer } from './files/words.ts';
import { Workspaces } from './files/workspace-files.ts';

/** How long a step may go on after the server was told to stop, and a tool after its run was canceled. */
const GRACE_MS = 10_000;

const CONSOLE = fileURLToPath(new URL('../../console/dist/', import.meta.url));

export interface ServerOptions {
  readonly config: Config;
  readonly log: Logger;
  /** Where the providers' keys and addresses are, under their usual names. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Besides the built-in ones. */
  readonly tools?: readonly AnyTool[];
  readonly faults?: Faults;
}

export interface RunningServer {
  readonly url: string;
  /** Opens the console for a person: it has the token in it. */
  readonly link: string;
  readonly model: string;
  readonly database: 'embedded' | 'external';
  /** Drains: no new work, threads let go within one step, streams ended, the database last. */
  stop(): Promise<void>;
}

const WORLD = { now: Date.now, sleep, random: Math.random };

/** For the settings: says what is wrong with a model's name, before anything is started. */
export function problemWithModel(env: ServerOptions['env']): (model: string) => string | null {
  const models = createModels(WORLD, { env });
  return (model) => {
    const resolved = models.resolve(model);
    return resolved.ok ? null : resolved.problem;
  };
}

/** Which model answers when nobody chose, what is wrong with it, which variables may hold a key, and what else to look at. */
export function modelInUse(
  env: ServerOptions['env'],
  configured: string | undefined,
): {
  readonly id: string;
  readonly problem: string | null;
  readonly keys: readonly string[];
  readonly advice: readonly string[];
} {
  const models = createModels(WORLD, { defaultModel: configured, env });
  const resolved = models.resolve(models.default);
  const problem = resolved.ok ? null : resolved.problem;
  return { id: models.default, problem, keys: MODEL_KEYS, advice: models.advice };
}

export async function startServer({
  config,
  log,
  env,
  tools = [],
  faults,
}: ServerOptions): Promise<RunningServer> {
  const idleMs = config.modelIdleSeconds * 1000;
  const models = createModels(WORLD, {
    defaultModel: config.model,
    env,
    idleMs,
    onRetry: (model, code) => metrics.modelRetried(model, code),
  });
  const resolved = models.resolve(models.default);
  if (!resolved.ok) throw new Error(`CONTINUO_MODEL: ${resolved.problem}`);
  for (const sentence of models.advice) log.warn(sentence);

  makePrivateHome(config.home);
  const personToken = config.personToken ?? (await keepPersonToken(config.home));
  const embedded =
    config.databaseUrl === undefined
      ? await openEmbedded({ home: config.home, log: (line) => log.debug(line) })
      : null;
  const settings = (url: string | undefined): DatabaseSettings => ({
    connection: url ?? embedded!.connection,
    applicationName: 'continuo',
    leaseSeconds: config.leaseSeconds,
    onStorageFull: () => storage.refused(),
  });
  const database = settings(config.databaseUrl);
  const direct = settings(config.directUrl);
  const onError = (error: Error) => log.warn({ reason: error.message }, 'the database had trouble');
  const pool = createPool(database, onError);
  const storage: Storage = new Storage(pool, {
    home: config.home,
    isDatabaseInHome: embedded !== null,
    onChange: (state) => {
      if (state === 'full') log.warn('there is no room left to write: runs wait until there is');
      else log.info('there is room to write again');
    },
  });
  await migrate(direct);
  await writeAuditSettings(pool, config.toolSummaryLines);
  const bus = new PostgresBus({ pool, alone: () => pod.alone, onError });
  const originOf = createOriginOf(pool);
  const mcp = createMcp({ pool, bus, log, now: Date.now, env });
  const recent = new Recent();
  const followers = new Followers(pool, onError, recent);
  subscribeFollowers(bus, followers);
  const hints = new WorkspaceHints({
    bus,
    workspaceOf: (threadId) => {
      const origin = originOf(threadId);
      return origin instanceof Promise
        ? origin.then((found) => found?.workspaceId ?? null)
        : origin.workspaceId;
    },
    onError,
  });
  const metrics = createMetrics({
    followers: () => followers.count,
    holding: () => pod.holding,
    queueAgeSeconds: () => queueAgeSeconds(pool),
  });
  const writer: Writer = new Writer({
    database,
    pool,
    now: Date.now,
    ...announceOn(bus),
    recent,
    onFlush: (flush) => metrics.flushed(flush),
    faults,
  });
  const workspaces = new Workspaces({
    bus,
    maxFileBytes: config.maxFileBytes,
    quotaBytes: config.workspaceBytes,
  });
  const toolsWith = (role: readonly PolicyRule[]): ToolRegistry => {
    const rules = async (workspaceId: string) => ({
      workspace: (await readPolicy(pool, workspaceId)) ?? [],
      role,
    });
    const world = { pool, workspaces, chats: createChatFiles(pool), rules };
    return createToolRegistry([...createBuiltInTools(world), ...tools]);
  };
  const registry = toolsWith([]);
  const roles = await createRoles(pool, registry.names);
  subscribeRoles(bus, roles);
  const changes = new FollowersOf(pool, onError, readChangeRows);
  subscribeChangeFollowers(bus, changes);
  const indexer = startIndexer(pool, onError);
  subscribeIndexer(bus, indexer);
  const agents = createAgents({
    models,
    roles,
    tools: registry,
    toolsFor: oncePer(toolsWith),
    toolsOf: (workspaceId) => mcp.toolsOf(workspaceId),
  });
  const mirrors = createMirrors({
    pool,
    database: direct,
    home: config.home,
    workspaces,
    log,
    now: () => new Date(),
    faults,
    chats: createChatHeads(pool, () => pod.holding > 0),
  });
  workspaces.attach(mirrors);
  subscribeMirrors(bus, mirrors);
  subscribeChatMirror(bus, mirrors);
  const pod: Pod = new Pod({
    database: direct,
    pool,
    bus,
    leaseSeconds: config.leaseSeconds,
    work: createRunLoop({
      pool,
      writer,
      states: new States(),
      agents,
      limits: {
        steps: config.runSteps,
        tokens: config.runTokens,
        cost: config.runCost,
        seconds: config.runSeconds,
      },
      summaryLines: config.toolSummaryLines,
      cancelGraceMs: GRACE_MS,
      idleMs: config.actorInactivityTimeoutSeconds * 1000,
      approvalMs: config.approvalExpiresSeconds === null ? null : config.approvalExpiresSeconds * 1000,
      now: Date.now,
      elapsed: () => performance.now(),
      metrics,
      onSnapshotFailed: (thread, error) =>
        log.warn({ thread, err: error }, 'a snapshot could not be written'),
      faults,
    }),
    onExpelled: () => writer.abandonConnection(),
    reviveDatabase: async () => embedded?.ensure(),
    log,
  });
  const streams = new Streams(followers, changes);

  const app = createApp({
    config,
    pool,
    storage,
    bus,
    pod,
    mcp,
    agents,
    models,
    roles,
    originOf,
    workspaces,
    streams,
    recent,
    hints,
    metrics,
    personToken,
    consoleFolder: CONSOLE,
    log,
  });
  const respond = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    errorHandler: answerBadRequest,
  });
  // A request without a Host is refused in words, too.
  const http = createServer(
    // A client that is gone without a word is noticed after 30 s of silence, and 10 probes a second apart.
    { requireHostHeader: false, keepAlive: true, keepAliveInitialDelay: 30_000 },
    (request, response) => void respond(request, response),
  );
  answerMalformed(http);
  // First the port: a second start on a taken one must not claim anything.
  await listen(http, config);
  await mirrors.start();
  await pod.start();
  const chores = startChores(pool, onError);

  const url = urlOf(http, config);
  return {
    url,
    link: personLink(url, personToken),
    model: models.default,
    database: embedded ? 'embedded' : 'external',
    stop: () =>
      stop({ http, streams, followers, changes, chores, indexer, pod, mcp, writer, mirrors, pool, embedded }),
  };
}

interface Parts {
  readonly http: HttpServer;
  readonly streams: Streams;
  readonly followers: Followers;
  readonly changes: FollowersOf<ChangeRow>;
  readonly chores: Chores;
  readonly indexer: Indexer;
  readonly pod: Pod;
  readonly mcp: Mcp;
  readonly writer: Writer;
  readonly mirrors: DiskMirrors;
  readonly pool: ReturnType<typeof createPool>;
  readonly embedded: EmbeddedDatabase | null;
}

async function stop({
  http,
  streams,
  followers,
  changes,
  chores,
  indexer,
  pod,
  mcp,
  writer,
  mirrors,
  pool,
  embedded,
}: Parts): Promise<void> {
  const closed = new Promise((resolve) => http.close(resolve));
  await pod.stop(GRACE_MS);
  streams.close();
  followers.close();
  changes.close();
  await chores.stop();
  http.closeIdleConnections();
  const lingering = setTimeout(() => http.closeAllConnections(), 1000);
  await closed;
  clearTimeout(lingering);
  await mcp.close();
  await writer.close();
  await mirrors.stop();
  await indexer.stop();
  await pool.end();
  await embedded?.release();
}

function listen(http: HttpServer, { host, port }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      reject(
        taken
          ? new Error(`CONTINUO_PORT ${port} is in use on ${host}; stop what uses it, or set another port`)
          : error,
      );
    });
    http.listen(port, host, resolve);
  });
}

/** Remembers what it made of something, for as long as that is there. */
function oncePer<K extends object, V>(make: (of: K) => V): (of: K) => V {
  const made = new WeakMap<K, V>();
  return (of) => {
    const value = made.get(of) ?? make(of);
    made.set(of, value);
    return value;
  };
}

function urlOf(http: HttpServer, { host }: Config): string {
  const { port } = http.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
