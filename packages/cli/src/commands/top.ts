// A live view of the whole server: pods, runs, queue, rates, cost, and what waits for a person.

import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Connected, type Remote } from '../connect.ts';
import { onInterrupt } from '../interrupt-key.ts';
import { print, printJson } from '../output.ts';
import { readPod, SeenPods } from '../top/pods.ts';
import { draw, totalRates, type Overview } from '../top/screen.ts';

export interface TopOptions extends Remote {
  readonly once?: boolean;
  readonly interval: number;
  /** Addresses of further pods that no proxy leads to, such as workers. */
  readonly pod?: readonly string[];
}

/** The most runs and approvals that are listed. */
const LISTED = 20;

const ESCAPE = '\u001B[';
/** Another screen, without a cursor, that cuts long lines. */
const ENTER = `${ESCAPE}?1049h${ESCAPE}?25l${ESCAPE}?7l`;
const LEAVE = `${ESCAPE}?7h${ESCAPE}?25h${ESCAPE}?1049l`;

export async function top({ once, interval, pod = [], ...remote }: TopOptions): Promise<void> {
  const connected = await connect(remote);
  const others = await Promise.all(pod.map((url) => connect({ url })));
  const seen = new SeenPods();
  const look = () => readOverview(connected, others, seen);
  const live = process.stdout.isTTY && !once && !remote.json;
  if (live) return watchOverview(look, interval * 1000);
  // Rates are differences between two readings.
  await look();
  await sleep(interval * 1000);
  const overview = await look();
  if (remote.json) printJson(asJson(overview));
  else print(draw(overview));
}

async function watchOverview(look: () => Promise<Overview>, milliseconds: number): Promise<void> {
  // An address without a server is reported as usual, before the screen changes.
  let overview = await look();
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  const keys = onInterrupt(leave, (typed) => {
    if (typed.toString().toLowerCase().includes('q')) leave();
  });
  const redraw = () => process.stdout.write(frame(overview));
  process.stdout.write(ENTER);
  process.stdout.on('resize', redraw);
  process.on('SIGTERM', leave);
  try {
    while (!leaving.signal.aborted) {
      redraw();
      await sleep(milliseconds, null, { signal: leaving.signal }).catch(() => null);
      if (leaving.signal.aborted) break;
      overview = await look().catch((error: Error) => ({
        ...overview,
        at: new Date().toISOString(),
        problems: [error.message],
      }));
    }
  } finally {
    process.off('SIGTERM', leave);
    process.stdout.off('resize', redraw);
    process.stdout.write(LEAVE);
    keys.close();
  }
}

/** Draws over the last frame, without a moment of empty screen. */
function frame(overview: Overview): string {
  const rows = process.stdout.rows || 24;
  const lines = [
    ...draw(overview)
      .split('\n')
      .slice(0, rows - 1),
    'q or Ctrl-C ends it',
  ];
  return `${ESCAPE}H${lines.map((line) => `${line}${ESCAPE}K`).join('\r\n')}${ESCAPE}J`;
}

async function readOverview(
  connected: Connected,
  others: readonly Connected[],
  seen: SeenPods,
): Promise<Overview> {
  const { client, url } = connected;
  const [first, runs, approvals, ...further] = await Promise.all([
    client.metrics(),
    client.runs.list({ status: 'open', limit: LISTED }),
    client.approvals.list({ limit: LISTED }),
    ...others.map((other) => other.client.metrics().catch((error: Error) => error)),
  ]);
  const now = Date.now();
  const problems: string[] = [];
  const readings = [first, ...further].flatMap((answer, index) => {
    if (answer instanceof Error) {
      problems.push(answer.message);
      return [];
    }
    const reading = readPod(answer, now);
    if (reading === null) problems.push(`${[connected, ...others][index]!.url} has no metrics of a pod.`);
    return reading === null ? [] : [reading];
  });
  for (const reading of readings) seen.add(reading);
  return {
    at: new Date(now).toISOString(),
    url,
    shared: readings.find(({ shared }) => shared !== null)?.shared ?? null,
    pods: seen.list(now),
    runs: runs.items,
    approvals: approvals.items,
    problems,
  };
}

function asJson({ at, shared, pods, runs, approvals, problems }: Overview) {
  const rates = totalRates(pods);
  return {
    at,
    pods_registered: shared?.pods ?? null,
    runs: shared?.states ?? null,
    queue: shared && { depth: shared.queue.depth, age_seconds: shared.queue.ageSeconds },
    approvals_waiting: shared?.approvals ?? null,
    runs_per_minute: rates && rates.runs * 60,
    output_tokens_per_second: rates && rates.outputTokens,
    input_tokens_per_second: rates && rates.inputTokens,
    cost_per_hour: rates && rates.cost * 3600,
    cost: pods.reduce((total, { reading }) => total + reading.cost, 0),
    pods: pods.map(({ reading, rates: own }) => ({
      pod: reading.pod,
      role: reading.role,
      version: reading.version,
      chats: reading.threads,
      streams: reading.streams,
      memory: reading.memory,
      cpu: own?.cpu ?? null,
      runs_per_minute: own && own.runs * 60,
      output_tokens_per_second: own && own.outputTokens,
    })),
    open_runs: runs,
    approvals,
    problems,
  };
}
