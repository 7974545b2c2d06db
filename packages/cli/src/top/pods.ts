// What pods say of themselves: their metrics in Prometheus' format, and rates between two readings of one pod. Pure.

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Rates are measured over this time at most. */
const WINDOW_MS = 60_000;

const LINE = /^(\w+)(?:\{(.*)\})? (\S+)$/gm;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

function parseMetrics(text: string): readonly Sample[] {
  return [...text.matchAll(LINE)].map(([, name = '', labels = '', value]) => ({
    name,
    labels: Object.fromEntries([...labels.matchAll(LABEL)].map(([, key, given]) => [key, unescaped(given!)])),
    value: Number(value),
  }));
}

function unescaped(label: string): string {
  return label.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
}

/** The counters that rates are made of, since the pod's start. */
interface Totals {
  readonly at: number;
  readonly ended: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
  readonly cpuSeconds: number;
}

export interface PodReading extends Totals {
  readonly pod: string;
  readonly role: string;
  readonly version: string;
  readonly threads: number;
  readonly streams: number;
  readonly memory: number;
  /** What all pods share; null if this pod does not reach the database. */
  readonly shared: Shared | null;
}

export interface Shared {
  readonly pods: number;
  readonly states: Readonly<Record<'queued' | 'running' | 'waiting' | 'paused', number>>;
  readonly queue: { readonly depth: number; readonly ageSeconds: number };
  readonly approvals: number;
}

/** Null if the text has no metrics of a pod. */
export function readPod(text: string, at: number): PodReading | null {
  const samples = parseMetrics(text);
  const labels = samples.find(({ name }) => name === 'continuo_pod_info')?.labels;
  if (labels?.pod === undefined) return null;
  const sum = (name: string, only: Readonly<Record<string, string>> = {}) =>
    samples
      .filter((each) => each.name === name)
      .filter((each) => Object.entries(only).every(([key, value]) => each.labels[key] === value))
      .reduce((total, { value }) => total + value, 0);
  const state = (name: string) => sum('continuo_open_runs', { state: name });
  const pods = sum('continuo_pods');
  return {
    at,
    pod: labels.pod,
    role: labels.role ?? '',
    version: labels.version ?? '',
    threads: sum('continuo_threads_held'),
    streams: sum('continuo_followers'),
    memory: sum('process_resident_memory_bytes'),
    ended: sum('continuo_runs_total'),
    inputTokens: sum('continuo_model_tokens_total', { kind: 'input' }),
    outputTokens: sum('continuo_model_tokens_total', { kind: 'output' }),
    cost: sum('continuo_model_cost_usd_total'),
    cpuSeconds: sum('process_cpu_seconds_total'),
    shared: Number.isNaN(pods)
      ? null
      : {
          pods,
          states: {
            queued: state('queued'),
            running: state('running'),
            waiting: state('waiting'),
            paused: state('paused'),
          },
          queue: { depth: sum('continuo_queue_depth'), ageSeconds: sum('continuo_queue_age_seconds') },
          approvals: sum('continuo_approvals_waiting'),
        },
  };
}

/** Per second; null before the pod's second reading. */
export interface Rates {
  readonly runs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
  readonly cpu: number;
}

export interface SeenPod {
  readonly reading: PodReading;
  readonly rates: Rates | null;
}

/** The pods that answered within the window. A proxy in front of several shows one after the other. */
export class SeenPods {
  readonly #readings = new Map<string, PodReading[]>();

  add(reading: PodReading): void {
    const before = this.#readings.get(reading.pod) ?? [];
    // A counter that went back belongs to another process of that name.
    const same = before.filter((each) => each.cpuSeconds <= reading.cpuSeconds);
    this.#readings.set(reading.pod, [...same.filter(({ at }) => at > reading.at - WINDOW_MS), reading]);
  }

  list(now: number): readonly SeenPod[] {
    for (const [pod, readings] of this.#readings)
      if (readings.at(-1)!.at < now - WINDOW_MS) this.#readings.delete(pod);
    return [...this.#readings.values()]
      .map((readings) => ({ reading: readings.at(-1)!, rates: ratesOf(readings[0]!, readings.at(-1)!) }))
      .toSorted((one, other) => one.reading.pod.localeCompare(other.reading.pod));
  }
}

function ratesOf(first: Totals, last: Totals): Rates | null {
  const seconds = (last.at - first.at) / 1000;
  if (seconds <= 0) return null;
  const rate = (of: (totals: Totals) => number) => (of(last) - of(first)) / seconds;
  return {
    runs: rate(({ ended }) => ended),
    inputTokens: rate(({ inputTokens }) => inputTokens),
    outputTokens: rate(({ outputTokens }) => outputTokens),
    cost: rate(({ cost }) => cost),
    cpu: rate(({ cpuSeconds }) => cpuSeconds),
  };
}
