// What `continuo top` shows, as lines.

import type { Client } from '@continuo/client';
import { bold, bytes, cyan, dim, red, safe, short, table, time, yellow } from '../output.ts';
import type { Rates, SeenPod, Shared } from './pods.ts';

export interface Overview {
  readonly at: string;
  readonly url: string;
  readonly shared: Shared | null;
  readonly pods: readonly SeenPod[];
  readonly runs: Awaited<ReturnType<Client['runs']['list']>>['items'];
  readonly approvals: Awaited<ReturnType<Client['approvals']['list']>>['items'];
  /** What could not be read, in sentences. */
  readonly problems: readonly string[];
}

/** The sum over all pods; null if none has been read twice. */
export function totalRates(pods: readonly SeenPod[]): Rates | null {
  const known = pods.flatMap(({ rates }) => (rates === null ? [] : [rates]));
  if (known.length === 0) return null;
  const sum = (of: (rates: Rates) => number) => known.reduce((total, rates) => total + of(rates), 0);
  return {
    runs: sum(({ runs }) => runs),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    cost: sum(({ cost }) => cost),
    cpu: sum(({ cpu }) => cpu),
  };
}

export function draw(overview: Overview): string {
  const { at, url, pods, runs, approvals, problems } = overview;
  return [
    `${bold('continuo top')}  ${safe(url)}  ${dim(time(at))}`,
    ...problems.map((problem) => red(safe(problem))),
    '',
    ...drawShared(overview),
    ...drawRates(pods),
    '',
    drawPods(pods),
    ...(approvals.length === 0 ? [] : ['', drawApprovals(approvals, at)]),
    '',
    runs.length === 0 ? dim('No open runs in this workspace.') : drawRuns(overview),
  ].join('\n');
}

function drawShared({ shared }: Overview): string[] {
  if (shared === null) return [yellow('The database does not answer: the queue and the runs are not known.')];
  const { states, queue, approvals, pods } = shared;
  const waits = queue.depth === 0 ? '' : `, the first for ${span(queue.ageSeconds)}`;
  return [
    line('Runs', [
      `${states.running} running`,
      noted(states.waiting, 'waiting for approval'),
      `${states.paused} paused`,
      `${states.queued} queued`,
    ]),
    line('Queue', [
      `${noted(queue.depth, queue.depth === 1 ? 'chat waits' : 'chats wait')} for a pod${waits}`,
    ]),
    line('Approvals', [noted(approvals, 'waiting')]),
    line('Pods', [`${pods} registered`]),
  ];
}

function drawRates(pods: readonly SeenPod[]): string[] {
  const rates = totalRates(pods);
  const cost = pods.reduce((total, { reading }) => total + reading.cost, 0);
  const soFar = `${dollars(cost)} since the pods started`;
  if (rates === null) return [line('Cost', [soFar])];
  return [
    line('Rates', [
      `${round(rates.runs * 60)} runs/min`,
      `${round(rates.outputTokens)} tokens/s out`,
      `${round(rates.inputTokens)} tokens/s in`,
    ]),
    line('Cost', [`${dollars(rates.cost * 3600)}/h`, soFar]),
  ];
}

function drawPods(pods: readonly SeenPod[]): string {
  return table(
    ['POD', 'ROLE', 'VERSION', 'CHATS', 'STREAMS', 'RUNS/MIN', 'TOKENS/S', 'CPU', 'MEMORY'],
    pods.map(({ reading, rates }) => [
      short(reading.pod, 40),
      reading.role,
      reading.version,
      String(reading.threads),
      String(reading.streams),
      rates === null ? '' : round(rates.runs * 60),
      rates === null ? '' : round(rates.outputTokens),
      rates === null ? '' : `${Math.round(rates.cpu * 100)} %`,
      bytes(reading.memory),
    ]),
  );
}

function drawApprovals(approvals: Overview['approvals'], at: string): string {
  return table(
    ['APPROVAL', 'FOR', 'CALL'],
    approvals.map(({ id, asked_at, tool, kind, input, reason }) => [
      id,
      since(asked_at, at),
      kind === 'question' ? short(reason, 100) : `${safe(tool)} ${short(input, 100)}`,
    ]),
  );
}

function drawRuns({ runs, approvals, at }: Overview): string {
  const asking = new Set(approvals.map(({ run_id }) => run_id));
  return table(
    ['RUN', 'STATE', 'FOR', 'MODEL', 'CHAT'],
    runs.map(({ id, status, queued_at, started_at, model, title, said }) => [
      id,
      asking.has(id) ? yellow('waiting') : status === 'running' ? cyan(status) : yellow(status),
      since(started_at ?? queued_at, at),
      short(model, 30),
      short(title ?? said, 60),
    ]),
  );
}

function line(name: string, parts: readonly string[]): string {
  return `${dim(name.padEnd(10))} ${parts.join('   ')}`;
}

/** Coloured if there are any. */
function noted(count: number, what: string): string {
  const text = `${count} ${what}`;
  return count > 0 ? yellow(text) : text;
}

function since(from: string, to: string): string {
  return span((Date.parse(to) - Date.parse(from)) / 1000);
}

function span(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min`;
  return whole < 86_400 ? `${Math.floor(whole / 3600)} h` : `${Math.floor(whole / 86_400)} d`;
}

function round(value: number): string {
  return value < 10 ? value.toFixed(1) : String(Math.round(value));
}

function dollars(value: number): string {
  return `$${value.toFixed(value < 1 ? 4 : 2)}`;
}
