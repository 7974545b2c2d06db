// Scripts for runs: what the model says and calls, step by step, and thereby what must be found afterwards.

import type { Chance } from '../support/seeded.ts';

export type Effect = 'transactional' | 'idempotent' | 'external' | 'pure';

interface ScriptCall {
  readonly tool: Effect;
  readonly input: { readonly note: string; readonly delay_ms?: number };
}

interface ScriptStep {
  readonly text: string;
  readonly reasoning?: string;
  readonly calls?: readonly ScriptCall[];
  readonly delay_ms: number;
}

export interface Script {
  readonly steps: readonly ScriptStep[];
}

/** Three steps with a call of each class or more, then the answer; about a second long. */
export function inventScript(random: Chance, name: string): Script {
  const batches = random.shuffled<readonly Effect[]>([
    ['transactional', 'pure', 'pure'],
    ['external', 'idempotent'],
    ['pure', 'transactional'],
  ]);
  const steps = batches.map((tools, step): ScriptStep => ({
    text: says(random, `${name} step ${step}`),
    ...(random.between(0, 2) === 0 && { reasoning: 'so it goes ' }),
    calls: tools.map((tool, index) => ({
      tool,
      input: { note: `${name} ${step}.${index}`, delay_ms: random.between(0, 30) },
    })),
    delay_ms: random.between(10, 25),
  }));
  return { steps: [...steps, { text: says(random, `${name} answer`), delay_ms: random.between(10, 25) }] };
}

function says(random: Chance, what: string): string {
  return `${what}: ${'on it goes, word by word, '.repeat(random.between(1, 3))}ended.`;
}
