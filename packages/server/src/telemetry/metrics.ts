// Metrics for operators, in Prometheus' format. The server only reports to them, and never reads them back.

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/**
 * Only the first models that are called get their own label: names come from requests, and each adds about 20 time
 * series.
 */
const MODELS_NAMED = 100;
const STATES = ['queued', 'running', 'waiting', 'paused'] as const;
/** How long to wait for the metrics that come from the database. */
const PATIENCE_MS = 1000;
const SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30];

export interface Metrics {
  readonly contentType: string;
  text(): Promise<string>;
  flushed(flush: { rows: number; milliseconds: number }): void;
  runStarted(waitedMs: number): void;
  runEnded(status: string, code: string | null): void;
  takenOver(): void;
  modelCalled(call: {
    model: string;
    ended: string;
    seconds: number;
    usage: Readonly<Record<string, number | undefined>>;
    cost: number | null;
  }): void;
  /** A budget does not allow another model call. */
  budgetRefused(code: string): void;
  /** Spans that no collector took. */
  spansDropped(spans: number): void;
  /** A call is retried after this failure. */
  modelRetried(model: string, code: string): void;
}

/** What all pods share. */
export interface Load {
  readonly pods: number;
  /** Threads that are due and that no pod has, and how long the first of them has been due. */
  readonly queue: { readonly depth: number; readonly ageSeconds: number };
  readonly approvals: number;
  /** Open runs; one that waits for an approval, or is paused, is not `running`. */
  readonly states: Readonly<Record<(typeof STATES)[number], number>>;
}

export function createMetrics(sources: {
  /** Which pod it is: its name, its role, its version. */
  readonly pod: Readonly<Record<'pod' | 'role' | 'version', string>>;
  readonly followers: () => number;
  readonly holding: () => number;
  readonly load: () => Promise<Load>;
}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const append = new Histogram({
    name: 'continuo_append_seconds',
    help: 'Duration of a flush of the log',
    buckets: SECONDS,
    registers,
  });
  const rows = new Histogram({
    name: 'continuo_append_rows',
    help: 'Events in a flush of the log',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
    registers,
  });
  const dispatch = new Histogram({
    name: 'continuo_dispatch_seconds',
    help: 'Time from queueing a run to its start',
    buckets: SECONDS,
    registers,
  });
  const takeovers = new Counter({
    name: 'continuo_takeovers_total',
    help: 'Runs taken over from another hold',
    registers,
  });
  const runs = new Counter({
    name: 'continuo_runs_total',
    help: 'Runs that ended',
    labelNames: ['status'],
    registers,
  });
  const errors = new Counter({
    name: 'continuo_run_errors_total',
    help: 'Runs that failed',
    labelNames: ['code'],
    registers,
  });
  const calls = new Counter({
    name: 'continuo_model_calls_total',
    help: 'Model calls',
    labelNames: ['model', 'ended'],
    registers,
  });
  const retries = new Counter({
    name: 'continuo_model_retries_total',
    help: 'Model calls that were retried without an event, by error',
    labelNames: ['model', 'code'],
    registers,
  });
  const callSeconds = new Histogram({
    name: 'continuo_model_call_seconds',
    help: 'Duration of a model call',
    labelNames: ['model'],
    buckets: [0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300],
    registers,
  });
  const tokens = new Counter({
    name: 'continuo_model_tokens_total',
    help: 'Tokens, as providers count them',
    labelNames: ['model', 'kind'],
    registers,
  });
  const cost = new Counter({
    name: 'continuo_model_cost_usd_total',
    help: 'Cost of model calls with a known price',
    labelNames: ['model'],
    registers,
  });
  const refusals = new Counter({
    name: 'continuo_budget_refusals_total',
    help: 'Model calls that the budget of a run and its children did not allow',
    labelNames: ['code'],
    registers,
  });
  const dropped = new Counter({
    name: 'continuo_spans_dropped_total',
    help: 'Spans that the collector of traces did not take',
    registers,
  });
  new Gauge({
    name: 'continuo_followers',
    help: 'Streams that follow a log on this pod',
    registers,
    collect() {
      this.set(sources.followers());
    },
  });
  new Gauge({
    name: 'continuo_threads_held',
    help: 'Threads that this pod holds',
    registers,
    collect() {
      this.set(sources.holding());
    },
  });
  new Gauge({
    name: 'continuo_pod_info',
    help: 'Which pod this is; always 1',
    labelNames: Object.keys(sources.pod),
    registers,
  }).set(sources.pod, 1);
  const pods = new Gauge({ name: 'continuo_pods', help: 'Pods that are registered', registers });
  const depth = new Gauge({
    name: 'continuo_queue_depth',
    help: 'Threads that are due and that no pod has claimed',
    registers,
  });
  const age = new Gauge({
    name: 'continuo_queue_age_seconds',
    help: 'How long the longest-waiting thread has been due',
    registers,
  });
  const approvals = new Gauge({
    name: 'continuo_approvals_waiting',
    help: 'Approvals that nobody has decided',
    registers,
  });
  const open = new Gauge({
    name: 'continuo_open_runs',
    help: 'Runs that have not ended, by state',
    labelNames: ['state'],
    registers,
  });
  /** Without the database they are unknown, and the other metrics matter all the more. */
  const showLoad = async () => {
    const load = await within(PATIENCE_MS, sources.load()).catch(() => null);
    pods.set(load?.pods ?? Number.NaN);
    depth.set(load?.queue.depth ?? Number.NaN);
    age.set(load?.queue.ageSeconds ?? Number.NaN);
    approvals.set(load?.approvals ?? Number.NaN);
    for (const state of STATES) open.set({ state }, load?.states[state] ?? Number.NaN);
  };

  const named = new Set<string>();
  const label = (model: string): string => {
    if (named.size < MODELS_NAMED) named.add(model);
    return named.has(model) ? model : 'other';
  };

  return {
    contentType: registry.contentType,
    text: async () => {
      await showLoad();
      return registry.metrics();
    },
    flushed: quietly((flush) => {
      append.observe(flush.milliseconds / 1000);
      rows.observe(flush.rows);
    }),
    runStarted: quietly((waitedMs) => dispatch.observe(waitedMs / 1000)),
    runEnded: quietly((status, code) => {
      runs.inc({ status });
      if (code !== null) errors.inc({ code });
    }),
    takenOver: quietly(() => takeovers.inc()),
    modelCalled: quietly(({ ended, seconds, usage, cost: paid, ...call }) => {
      const model = label(call.model);
      calls.inc({ model, ended });
      callSeconds.observe({ model }, seconds);
      for (const [kind, count] of Object.entries(usage)) if (count) tokens.inc({ model, kind }, count);
      if (paid !== null) cost.inc({ model }, paid);
    }),
    budgetRefused: quietly((code) => refusals.inc({ code })),
    spansDropped: quietly((spans) => dropped.inc(spans)),
    modelRetried: quietly((model, code) => retries.inc({ model: label(model), code })),
  };
}

function within<T>(milliseconds: number, asked: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('no answer in time')), milliseconds);
  return Promise.race([asked, late.promise]).finally(() => clearTimeout(timer));
}

/** Ignores errors: a metric must not break the operation that it counts. */
function quietly<Given extends unknown[]>(count: (...given: Given) => void): (...given: Given) => void {
  return (...given) => {
    try {
      count(...given);
    } catch {
      // prom-client throws for a value that is not a number, and for a counter that would decrease.
    }
  };
}
