// Threads that the run loop really worked on: an actor without its pod, models that say what a case tells
// them to (the offline script, and each provider's driver with its wire format), and a hand that cancels
// runs and takes threads away at moments of the log.

import { setTimeout as wait } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { local } from '../../src/executors/executor.ts';
import { loadLayers } from '../../src/context/layers.ts';
import { createPacks } from '../../src/context/packs.ts';
import { createAgents } from '../../src/agents/agent.ts';
import { createRoles } from '../../src/agents/roles.ts';
import type { StoredEvent } from '../../src/log/event.ts';
import { type Models, createModels } from '../../src/models/catalog.ts';
import { createRunLoop } from '../../src/runs/loop/loop.ts';
import { ThreadStateCache } from '../../src/runs/loop/thread-state-cache.ts';
import { type AnyTool, createToolRegistry } from '../../src/tools/registry.ts';
import { DECISION_RULES, type LogWorld, TestHold } from '../runs/support.ts';
import { ENV, WIRES } from './server.ts';
import type { Reply, Request } from './wire/reply.ts';

/** When the nth event of a kind is in the log, somebody cancels the run or takes the thread away. */
export interface Moment {
  readonly on: StoredEvent['type'];
  readonly nth: number;
  readonly act: 'cancel' | 'lose';
}

/** A model that says this is silent from then on, and its run is canceled. */
export const STUCK = 'stuck';

interface Work {
  readonly model: string;
  /** What the person writes: to `offline/script`, what to say. */
  readonly content: string;
  /** What a provider's model answers, call by call; then a word. */
  readonly replies?: readonly Reply[];
  readonly moments?: readonly Moment[];
}

interface EndedRun {
  readonly runId: string;
  readonly messageId: string;
  readonly status: string;
}

interface ExecutedThread {
  readonly id: string;
  /** Plays a run to its end, with as many actors as that takes. */
  run(work: Work): Promise<EndedRun>;
  /** The same message again. */
  retry(ended: EndedRun, work: Work): Promise<EndedRun>;
}

export interface Executor {
  thread(): Promise<ExecutedThread>;
  /** Requests that a provider would have refused, in its words. */
  readonly refused: readonly string[];
  /** Signatures that were given out. */
  readonly issued: ReadonlySet<string>;
}

const CANCEL = `update runs set cancel_requested_at = clock_timestamp(), cancel_reason = 'user_cancelled'
  where id = $1 and status in ('queued', 'running') and cancel_requested_at is null`;
const ENQUEUE =
  'select * from enqueue_run($1, $2, $3, $4, $5, $6, null, $7, null, \'enqueue\', null, \'{"kind":"local"}\')';

/** One thread is worked on at a time. */
export async function createExecutor(world: LogWorld): Promise<Executor> {
  const provider = createProvider();
  await world.pool.query('update workspaces set policy = $1', [JSON.stringify({ rules: RULES })]);
  let seen = (_row: StoredEvent): void => undefined;
  const work = createRunLoop({
    pool: world.pool,
    writer: world.writer({ publish: (rows) => rows.forEach((row) => seen(row)) }),
    executor: local,
    conductors: new Map(),
    wake: () => undefined,
    states: new ThreadStateCache(),
    agents: createAgents({
      models: provider.models,
      roles: await createRoles(world.pool),
      tools: createToolRegistry(TOOLS),
    }),
    packs: createPacks({ pool: world.pool, layers: await loadLayers(), bus: null, now: Date.now }),
    secrets: { read: () => Promise.reject(new Error('there is no secret')) },
    cancelGraceMs: 5,
    ...DECISION_RULES,
    approvalMs: null,
    elapsed: () => performance.now(),
    now: Date.now,
    limits: { steps: 12, tokens: null, cost: null, seconds: null },
    summaryLines: 5,
    metrics: {
      runStarted: () => {},
      runEnded: () => {},
      takenOver: () => {},
      modelCalled: () => {},
      budgetRefused: () => {},
    },
    traces: null,
  });

  const hold = async (threadId: string): Promise<TestHold> => {
    const { rows } = await world.pool.query<{ attempt: number }>(
      'update threads set attempt = attempt + 1 where id = $1 returning attempt',
      [threadId],
    );
    return new TestHold(threadId, rows[0]!.attempt);
  };

  const play = async (threadId: string, runId: string, { replies = [], moments = [] }: Work) => {
    let holding: TestHold | null = null;
    const pending: Promise<unknown>[] = [];
    const cancel = async () => {
      await world.pool.query(CANCEL, [runId]);
      holding?.onWake?.();
    };
    const counts = new Map<string, number>();
    seen = (row) => {
      if (row.runId !== runId) return;
      if (row.type === 'token' && row.data.text.includes(STUCK)) pending.push(cancel());
      const nth = (counts.get(row.type) ?? 0) + 1;
      counts.set(row.type, nth);
      for (const moment of moments) {
        if (moment.on !== row.type || moment.nth !== nth) continue;
        if (moment.act === 'lose') holding?.lose();
        else pending.push(cancel());
      }
    };
    provider.prepare(replies);
    for (;;) {
      holding = await hold(threadId);
      // A thread that was taken away is left as it is; the next actor goes on.
      await work(holding).catch((error: unknown) => {
        if (!holding!.lost.aborted) throw error;
      });
      await Promise.all(pending);
      const { rows } = await world.pool.query<{ status: string }>('select status from runs where id = $1', [
        runId,
      ]);
      const { status } = rows[0]!;
      if (status !== 'queued' && status !== 'running') return status;
      // Nobody answers here: what waits for approval is canceled.
      if (!holding.lost.aborted) await cancel();
    }
  };

  const enqueue = async (threadId: string, task: Work, ended: EndedRun | null): Promise<EndedRun> => {
    const runId = uuidv7();
    const messageId = ended?.messageId ?? uuidv7();
    const content = ended ? null : JSON.stringify({ text: task.content });
    const values = [threadId, runId, messageId, content, task.model, 'assistant', ended?.runId ?? null];
    await world.pool.query(ENQUEUE, values);
    return { runId, messageId, status: await play(threadId, runId, task) };
  };

  return {
    refused: provider.refused,
    issued: provider.issued,
    thread: async () => {
      const id = await world.thread();
      return {
        id,
        run: (task) => enqueue(id, task, null),
        retry: (ended, task) => enqueue(id, task, ended),
      };
    },
  };
}

/** Every provider in this process: judges each request, and answers in the format that it came in. */
function createProvider() {
  const refused: string[] = [];
  const issued = new Set<string>();
  let replies: Reply[] = [];
  const answer: typeof fetch = async (url, init) => {
    const path = new URL(url).pathname;
    const wire = Object.values(WIRES).find((each) => each.path.test(path))!;
    const problem = wire.problemWith(JSON.parse(init!.body as string) as Request, issued);
    if (problem !== null) refused.push(problem);
    const reply = replies.shift() ?? { said: [{ kind: 'text', pieces: ['done.'] }] };
    const refusal =
      problem === null ? reply.refusal : ({ status: 400, message: problem } as Reply['refusal']);
    if (refusal) {
      const { status, message, type } = refusal;
      return Response.json(wire.error(message, type, status), { status });
    }
    for (const said of reply.said ?? [])
      if (said.kind !== 'text' && said.signature !== undefined) issued.add(said.signature);
    const { said, end } = wire.frames(reply);
    const frames = [...said];
    if (reply.instead === undefined) frames.push(...end);
    if (reply.instead === 'error') frames.push(wire.errorFrame());
    const bytes = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const frame = frames.shift();
        // A breath between frames, so that a cancel can come in the middle.
        await wait(0);
        if (frame !== undefined) return controller.enqueue(bytes.encode(frame));
        if (reply.instead === 'stall') return new Promise(() => {});
        if (reply.instead === 'cut') return controller.error(new TypeError('terminated'));
        controller.close();
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  const models: Models = createModels(
    { now: Date.now, random: () => 0, sleep: (ms, signal) => sleepShort(ms, signal) },
    { env: { ...ENV, OPENAI_BASE_URL: 'http://provider/v1' }, fetch: answer },
  );
  return { models, refused, issued, prepare: (next: readonly Reply[]) => (replies = [...next]) };
}

/** Retries come at once; the limit of a provider's silence does not. */
async function sleepShort(ms: number, signal: AbortSignal): Promise<void> {
  if (ms < 60_000) return;
  await wait(ms, undefined, { signal, ref: false });
}

const input = z.object({
  lines: z.number().optional(),
  fail: z.boolean().optional(),
  /** Until the run is stopped, or for a while. */
  wait: z.boolean().optional(),
});

/** One of each effect class. */
const EFFECTS = ['pure', 'idempotent', 'external', 'transactional'] as const;
/** And one each that needs approval, and that is denied. */
const NAMES = [
  ...EFFECTS.map((effect) => [effect, effect] as const),
  ['asked', 'external'],
  ['denied', 'idempotent'],
] as const;
const RULES = [
  { tool: '*', action: 'allow' },
  { tool: 'asked', action: 'ask' },
  { tool: 'denied', action: 'deny' },
];
const TOOLS = NAMES.map(([name, effect]): AnyTool => ({
  name,
  description: 'A tool.',
  effect,
  input,
  run: async (given: z.infer<typeof input>, { signal }: { signal: AbortSignal }) => {
    if (given.wait) await wait(20, undefined, { signal }).catch(() => undefined);
    if (given.fail) throw new Error('it was told to fail');
    return { text: Array.from({ length: given.lines ?? 1 }, (_, line) => `line ${line + 1}`).join('\n') };
  },
}));
