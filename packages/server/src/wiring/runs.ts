// Runs: the pod, which claims threads, and the loop that executes their runs.

import { Pod } from '../actors/pod.ts';
import type { Agents } from '../agents/agent.ts';
import type { PostgresBus } from '../bus/postgres.ts';
import type { Packs } from '../context/request.ts';
import { TokenRatios } from '../context/token-ratios.ts';
import type { Executor } from '../executors/executor.ts';
import type { Writer } from '../log/append.ts';
import type { Conductors } from '../runs/children/conductor.ts';
import { createRunLoop } from '../runs/loop/loop.ts';
import { ThreadStateCache } from '../runs/loop/thread-state-cache.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { OpenTrace } from '../telemetry/traces/thread-trace.ts';
import type { Secrets } from '../workspaces/secrets.ts';
import type { Database } from './database.ts';
import { GRACE_MS, type ServerOptions } from './options.ts';

interface RunsOptions {
  readonly database: Database;
  readonly bus: PostgresBus;
  readonly writer: Writer;
  readonly agents: Agents;
  readonly executor: Executor;
  readonly conductors: Conductors;
  readonly packs: Packs;
  readonly secrets: Secrets;
  readonly metrics: Metrics;
  readonly traces: OpenTrace | null;
}

export function wirePod(
  { config, log, faults }: ServerOptions,
  { database, bus, writer, agents, executor, conductors, packs, secrets, metrics, traces }: RunsOptions,
): Pod {
  const { pool, direct, embedded } = database;
  const work = createRunLoop({
    pool,
    writer,
    states: new ThreadStateCache(),
    agents,
    executor,
    conductors,
    // If the wake is lost, a tick finds the thread.
    wake: (threadId) => void pod.wake(threadId, null).catch(() => undefined),
    packs,
    ratios: new TokenRatios({
      pool,
      bus,
      onError: (error) => log.warn({ err: error }, 'a token ratio could not be stored'),
    }),
    secrets,
    limits: {
      steps: config.runSteps,
      tokens: config.runTokens,
      cost: config.runCost,
      seconds: config.runSeconds,
    },
    summaryLines: config.toolSummaryLines,
    memory: {
      model: config.summarizerModel ?? null,
      turns: config.summaryTurns,
      characters: config.summaryCharacters,
      tokens: config.historyTokens,
      summaryLines: config.toolSummaryLines,
    },
    cancelGraceMs: GRACE_MS,
    idleMs: config.actorInactivityTimeoutSeconds * 1000,
    approvalMs: config.approvalExpiresSeconds === null ? null : config.approvalExpiresSeconds * 1000,
    now: Date.now,
    elapsed: () => performance.now(),
    metrics,
    traces,
    onSnapshotFailed: (thread, error) => log.warn({ thread, err: error }, 'a snapshot could not be written'),
    faults,
  });
  const pod: Pod = new Pod({
    database: direct,
    pool,
    bus,
    leaseSeconds: config.leaseSeconds,
    claims: config.role !== 'serve',
    work,
    onExpelled: () => writer.abandonConnection(),
    reviveDatabase: async () => embedded?.ensure(),
    log,
  });
  return pod;
}
