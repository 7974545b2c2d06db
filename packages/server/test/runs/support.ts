// What the unit tests share: a database of the file's own, writers and pens on it, and an actor without its pod.

import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll } from 'vitest';
import type { NewEvent } from '@continuo/protocol';
import { freshDatabase, type TestDatabase } from '@continuo/testkit/fixtures';
import { local } from '../../src/executors/executor.ts';
import type { Hold } from '../../src/actors/hold.ts';
import { CONTEXT_CHANGES } from '../../src/context/manifest.ts';
import { loadLayers } from '../../src/context/layers.ts';
import { createPacks } from '../../src/context/packs.ts';
import { createAgents, type Agents } from '../../src/agents/agent.ts';
import { createRoles } from '../../src/agents/roles.ts';
import { createPool, type DatabaseSettings, type Pool } from '../../src/db/pool.ts';
import { Writer, type WriterOptions } from '../../src/log/append.ts';
import type { Entry } from '../../src/log/group.ts';
import type { Pen, PenOptions } from '../../src/log/pen.ts';
import type { StoredEvent } from '../../src/log/event.ts';
import { readThreadEvents } from '../../src/log/statements.ts';
import { createModels } from '../../src/models/catalog.ts';
import { RUN_CHANGES } from '../../src/runs/changes.ts';
import type { DecisionRules } from '../../src/runs/loop/decide.ts';
import { createRunLoop } from '../../src/runs/loop/loop.ts';
import { ThreadStateCache } from '../../src/runs/loop/thread-state-cache.ts';
import { THREAD_CHANGES } from '../../src/threads/changes.ts';
import { createToolRegistry, type AnyTool } from '../../src/tools/registry.ts';

export const DECISION_RULES: DecisionRules = {
  idleMs: 600_000,
  memory: { model: null, turns: 20, characters: 5000, tokens: 16_000, summaryLines: 5 },
};

const WORKSPACE = '00000000-0000-7000-8000-000000000001';

export interface LogWorld {
  readonly database: TestDatabase;
  readonly settings: DatabaseSettings;
  readonly pool: Pool;
  /** A writer of its own, closed with the file. */
  writer(options?: Partial<WriterOptions>): Writer;
  thread(): Promise<string>;
  /** A queued run with its message. */
  run(threadId: string, script?: unknown): Promise<string>;
  log(threadId: string): Promise<StoredEvent[]>;
}

export function useLog(): LogWorld {
  let database: TestDatabase;
  let settings: DatabaseSettings;
  let pool: Pool;
  const writers: Writer[] = [];
  beforeAll(async () => {
    database = await freshDatabase();
    settings = { connection: database.url, applicationName: 'continuo-unit', leaseSeconds: 30 };
    pool = createPool(settings, () => undefined);
  });
  afterAll(async () => {
    await Promise.all(writers.map((writer) => writer.close()));
    await pool.end();
    await database.drop();
  });
  return {
    get database() {
      return database;
    },
    get settings() {
      return settings;
    },
    get pool() {
      return pool;
    },
    writer: (options = {}) => {
      const writer = new Writer({
        database: settings,
        pool,
        now: Date.now,
        changes: { ...THREAD_CHANGES, ...CONTEXT_CHANGES, ...RUN_CHANGES },
        publish: () => undefined,
        notice: () => null,
        ...options,
      });
      writers.push(writer);
      return writer;
    },
    thread: async () => {
      const id = uuidv7();
      await pool.query('insert into threads (id, workspace_id) values ($1, $2)', [id, WORKSPACE]);
      return id;
    },
    run: async (threadId, script = { steps: [{ text: 'ok' }] }) => {
      const id = uuidv7();
      const message = uuidv7();
      const content = JSON.stringify({ text: JSON.stringify(script) });
      const { rows } = await pool.query<{ ordinal: number }>(
        `insert into runs (id, workspace_id, thread_id, ordinal, message_id, model, role, principal)
         select $1, $4, $2, count(*) + 1, $3, 'offline/script', 'assistant', '{"kind":"local"}' from runs where thread_id = $2
         returning ordinal`,
        [id, threadId, message, WORKSPACE],
      );
      await pool.query(
        `insert into messages (id, workspace_id, thread_id, run_id, ordinal, seq, role, content)
         values ($1, $6, $2, $3, $4, 0, 'user', $5)`,
        [message, threadId, id, rows[0]!.ordinal, content, WORKSPACE],
      );
      return id;
    },
    log: (threadId) => readThreadEvents(pool, threadId, 0, 100_000),
  };
}

export function openPen(writer: Writer, threadId: string, options: Partial<PenOptions> = {}): Pen {
  return writer.open({
    threadId,
    attempt: 1,
    seq: 0,
    runSeqs: new Map(),
    onCommit: () => undefined,
    onLost: () => undefined,
    ...options,
  });
}

export function token(runId: string, text: string, message = 'm1'): Entry {
  return { runId, event: { type: 'token', data: { text, message } } };
}

export function entry(runId: string | null, event: NewEvent): Entry {
  return { runId, event };
}

/** A hold that nobody but the test takes away. */
export class TestHold implements Hold {
  readonly threadId: string;
  readonly attempt: number;
  readonly claim: unknown;
  readonly hurry = new AbortController().signal;
  readonly stopping = new AbortController().signal;
  readonly #lost = new AbortController();
  draining = false;
  onWake: Hold['onWake'] = null;

  constructor(threadId: string, attempt: number, claim: unknown = null) {
    this.threadId = threadId;
    this.attempt = attempt;
    this.claim = claim;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  fresh(): boolean {
    return true;
  }

  lose(): void {
    this.#lost.abort();
  }
}

export interface LoopSettings {
  readonly tools?: readonly AnyTool[];
  readonly cancelGraceMs?: number;
  readonly now?: () => number;
  readonly elapsed?: () => number;
  readonly approvalMs?: number;
  /** What a model does while it pauses; by default it lets what it said be written. */
  readonly sleep?: () => Promise<void>;
  readonly publish?: (rows: readonly StoredEvent[]) => void;
  /** What an agent waits for before it is made. */
  readonly making?: () => Promise<void>;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** An actor's work on a thread, as a pod would start it. */
export async function createLoop(world: LogWorld, settings: LoopSettings = {}) {
  const agents = createAgents({
    models: createModels({ now: Date.now, sleep: settings.sleep ?? nextTurn }),
    roles: await createRoles(world.pool),
    tools: createToolRegistry(settings.tools ?? []),
  });
  const options = {
    pool: world.pool,
    writer: world.writer(settings.publish ? { publish: settings.publish } : {}),
    executor: local,
    conductors: new Map(),
    wake: () => undefined,
    states: new ThreadStateCache(),
    agents: { make: async (wanted) => (await settings.making?.(), agents.make(wanted)) } satisfies Agents,
    packs: createPacks({ pool: world.pool, layers: await loadLayers(), bus: null, now: Date.now }),
    secrets: { read: () => Promise.reject(new Error('there is no secret')) },
    cancelGraceMs: settings.cancelGraceMs ?? 1000,
    ...DECISION_RULES,
    approvalMs: settings.approvalMs ?? null,
    now: settings.now ?? Date.now,
    elapsed: settings.elapsed ?? settings.now ?? Date.now,
    limits: { steps: 100, tokens: null, cost: null, seconds: null },
    summaryLines: 5,
    metrics: {
      runStarted: () => {},
      runEnded: () => {},
      takenOver: () => {},
      modelCalled: () => {},
      budgetRefused: () => {},
    },
    traces: null,
  };
  return {
    work: createRunLoop(options),
    /** A new hold on the thread, numbered as a claim would. */
    hold: async (threadId: string): Promise<TestHold> => {
      const { rows } = await world.pool.query<{ attempt: number }>(
        'update threads set attempt = attempt + 1 where id = $1 returning attempt',
        [threadId],
      );
      return new TestHold(threadId, rows[0]!.attempt);
    },
  };
}

/** Plays a script on a new thread to its end, and gives the thread's log. */
export async function play(world: LogWorld, script: unknown, settings: LoopSettings = {}) {
  const loop = await createLoop(world, settings);
  const threadId = await world.thread();
  const runId = await world.run(threadId, script);
  await loop.work(await loop.hold(threadId));
  return { threadId, runId, events: await world.log(threadId) };
}

export async function requestCancel(world: LogWorld, runId: string): Promise<void> {
  await world.pool.query(
    "update runs set cancel_requested_at = clock_timestamp(), cancel_reason = 'user_cancelled' where id = $1",
    [runId],
  );
}
