// The offline model's sentences. They are short and true, and say that the offline model wrote them.

import type { Call, CallOutcome } from './forms.ts';

export function introduceModel(modelId: string, text: string, examples: readonly string[]): string {
  const heard = text.trim() === '' ? 'Your message was empty. ' : `You wrote: “${excerpt(text, 80)}”. `;
  const what = `I cannot really answer that: no language model is connected. I am the offline stand-in (${modelId}), a program that recognises a few forms of sentences.`;
  const forms =
    examples.length === 0
      ? 'No tools are given to me in this conversation.'
      : ['What I recognise are sentences such as these:', ...examples.map((each) => `- ${each}`)].join('\n');
  const how =
    'To connect one, set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY and start the server again; or set OPENAI_BASE_URL for a server of your own. CONTINUO_MODEL=provider/model chooses the model.';
  return `${heard}${what}\n\n${forms}\n\n${how}`;
}

/** Each call on a line, and the output of the last one if it has several lines. */
export function describeResults(outcomes: readonly CallOutcome[]): string {
  const lines = outcomes.map(describeResult);
  const last = outcomes.at(-1);
  const text = textOf(last?.output);
  const numbered = lines.map((line, at) => (lines.length < 2 ? line : `${at + 1}. ${line}`));
  const list = lines.length < 2 ? [] : ['I made these calls:', ''];
  return [...list, ...numbered, ...(!last?.failed && text.includes('\n') ? ['', block(text)] : [])].join(
    '\n',
  );
}

function describeResult(outcome: CallOutcome): string {
  const text = textOf(outcome.output);
  if (outcome.failed) return `${nameOf(outcome)} failed: ${excerpt(text, 200) || 'it gave no reason'}`;
  const what = text.startsWith('--- ') ? 'the differences' : excerpt(text.split('\n')[0]!, 200);
  return `${nameOf(outcome)}: ${what || 'done'}`;
}

/** A call is named by its path, if it has one. */
export function nameOf({ tool, input }: Call): string {
  const words = typeof input['path'] === 'string' ? input['path'] : JSON.stringify(input);
  return words === '{}' ? tool : `${tool} ${excerpt(words, 120)}`;
}

export function textOf(output: unknown): string {
  if (typeof output === 'string' || output === undefined) return output ?? '';
  const { text, message, error } = (output ?? {}) as Readonly<Record<string, unknown>>;
  return [text, message, error].find((each) => typeof each === 'string') ?? JSON.stringify(output);
}

const BLOCK_LINES = 30;

/** The beginning of a text of several lines, in a fence that is longer than those in it. */
function block(text: string): string {
  const lines = text.split('\n');
  const shown = lines.slice(0, BLOCK_LINES).map((line) => line.slice(0, 200));
  const fence = '`'.repeat(Math.max(3, ...shown.map((line) => (/^ *(`+)/.exec(line)?.[1]?.length ?? 0) + 1)));
  const more = lines.length > BLOCK_LINES ? ['…'] : [];
  return [`${fence}${text.startsWith('--- ') ? 'diff' : 'text'}`, ...shown, ...more, fence].join('\n');
}

function excerpt(text: string, length: number): string {
  const line = text.trim().replace(/\s+/g, ' ');
  const points = Array.from(line.slice(0, 2 * length + 2));
  return points.length <= length ? line : `${points.slice(0, length - 1).join('')}…`;
}
