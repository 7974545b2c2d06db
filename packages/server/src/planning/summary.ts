// What a plan's run ends with, as Markdown: how each step ended, and which files it changed. Made from rows and logs, not from what models say.

import type { PlanStepStatus } from '@continuo/protocol';

interface SummarizedStep {
  readonly title: string;
  readonly status: PlanStepStatus;
  readonly error: string | null;
  readonly files: readonly { readonly path: string; readonly v: number }[];
}

/** Maximum number of steps that the summary lists one by one; failed and blocked ones come first. */
const LISTED_STEPS = 50;

export function planSummary(goal: string, steps: readonly SummarizedStep[]): string {
  const count = (status: PlanStepStatus) => steps.filter((step) => step.status === status).length;
  const well = count('done') + count('skipped');
  const counts = (['done', 'skipped', 'failed', 'blocked', 'pending'] as const).flatMap((status) =>
    count(status) === 0 ? [] : [`${count(status)} ${status}`],
  );
  const order = [...steps].toSorted((a, b) => Number(isWell(a)) - Number(isWell(b)));
  const more = steps.length - LISTED_STEPS;
  return [
    well === steps.length ? `The plan is done: ${goal}` : `The plan is not done: ${goal}`,
    `${steps.length} ${steps.length === 1 ? 'step' : 'steps'}: ${counts.join(', ')}.`,
    order.slice(0, LISTED_STEPS).map(lineOf).join('\n'),
    ...(more > 0 ? [`… and ${more} more steps.`] : []),
    changedFiles(steps),
  ].join('\n\n');
}

function isWell({ status }: SummarizedStep): boolean {
  return status === 'done' || status === 'skipped';
}

function lineOf({ title, status, error }: SummarizedStep): string {
  return `- ${title}: ${status}${error === null ? '' : ` (${error})`}`;
}

function changedFiles(steps: readonly SummarizedStep[]): string {
  const latest = new Map<string, number>();
  for (const { files } of steps)
    for (const { path, v } of files) latest.set(path, Math.max(v, latest.get(path) ?? 0));
  if (latest.size === 0) return 'No file changed.';
  const shown = [...latest].slice(0, LISTED_STEPS).map(([path, v]) => `${path} (version ${v})`);
  const more = latest.size - shown.length;
  return `Changed: ${shown.join(', ')}${more > 0 ? ` and ${more} more files` : ''}.`;
}
