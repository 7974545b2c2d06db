// A digest in a few sentences. Pure.

import type { ChatDigest } from '@continuo/protocol';

type Parts = Pick<
  ChatDigest,
  'runs' | 'run_counts' | 'steps' | 'verdict' | 'files' | 'changed_counts' | 'usage' | 'needs'
>;

/** Maximum number of paths and of needs that are named. */
const NAMED = 5;

export function digestText(state: ChatDigest['state'], parts: Parts): string {
  const sentences = [
    happened(parts),
    ofSteps(parts),
    ofVerdict(parts),
    changed(parts),
    costs(parts),
    needed(parts),
    state === 'running' ? 'Work continues.' : null,
  ].filter((sentence) => sentence !== null);
  return sentences.length === 0 ? 'Nothing happened.' : sentences.join(' ');
}

const RUN_WORDS = {
  done: 'done',
  error: 'failed',
  canceled: 'canceled',
  running: 'running',
  queued: 'waiting',
} as const;

function happened({ runs, run_counts: counts }: Parts): string | null {
  const total = Object.values(counts).reduce((sum, n) => sum + n, 0);
  if (total === 0) return null;
  const listed = Object.entries(RUN_WORDS).flatMap(([status, word]) =>
    counts[status] ? [`${counts[status]} ${word}`] : [],
  );
  const failure = runs.find(({ parent_run: parent, error }) => parent === null && error !== null)?.error;
  const why = failure ? ` The chat’s run failed: ${withoutStop(failure.error)}.` : '';
  return `${counted(total, 'run')}: ${listed.join(', ')}.${why}`;
}

function ofSteps({ steps }: Parts): string | null {
  if (steps.length === 0) return null;
  const counts = new Map<string, number>();
  for (const { status } of steps) counts.set(status, (counts.get(status) ?? 0) + 1);
  return `${counted(steps.length, 'step')} of plans changed: ${[...counts].map(([status, n]) => `${n} ${status}`).join(', ')}.`;
}

const VERDICT_WORDS = { met: 'met', not_met: 'not met yet', impossible: 'impossible' } as const;

function ofVerdict({ verdict }: Parts): string | null {
  if (!verdict) return null;
  const why = verdict.reasons[0] === undefined ? '' : ` (${withoutStop(verdict.reasons[0])})`;
  return `After round ${verdict.round}, the goal is ${VERDICT_WORDS[verdict.verdict]}${why}.`;
}

function changed({ files, changed_counts: counts }: Parts): string | null {
  if (counts.files + counts.entities === 0) return null;
  const named = files.slice(0, NAMED).map(({ path, v }) => `${path} (version ${v})`);
  const more = counts.files - named.length;
  const all = [
    ...named,
    ...(more > 0 ? [counted(more, 'more file')] : []),
    ...(counts.entities > 0 ? [counted(counts.entities, 'entity', 'entities')] : []),
  ];
  return `Changed: ${all.join(', ')}.`;
}

function costs({ usage }: Parts): string | null {
  if (usage.model_calls === 0) return null;
  const tokens = Math.round(usage.input + usage.output).toLocaleString('en');
  const dollars = usage.cost === null ? '' : `, $${usage.cost.toFixed(4)}`;
  return `Cost: ${counted(usage.model_calls, 'model call')}, ${tokens} tokens${dollars}.`;
}

function needed({ needs }: Parts): string | null {
  if (needs.length === 0) return null;
  const named = needs.slice(0, NAMED).map(({ text }) => withoutStop(text));
  const more = needs.length - named.length;
  return `Needed from you: ${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}

function counted(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

function withoutStop(text: string): string {
  return text.replace(/\.$/, '');
}
