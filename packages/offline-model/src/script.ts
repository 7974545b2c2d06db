// A script: the last user message is JSON that tells the model what to say and call. The number of assistant messages since that
// message selects the step, so that a pod which takes a run over continues at the right step.

import { isJsonTooDeep, JSON_DEPTH } from '@continuo/engine';
import { z } from 'zod';
import type { HistoryMessage } from './request.ts';
import { type Step, splitWords } from './step.ts';

/** A call's input may be nested as deep as `JSON_DEPTH`; the rest is for the script around it. */
const SCRIPT_DEPTH = JSON_DEPTH + 16;
const milliseconds = z.number().min(0).max(86_400_000);

const callSchema = z
  .strictObject({
    tool: z.string().min(1),
    input: z.record(z.string(), z.unknown()).optional(),
    raw: z.string().optional(),
  })
  .refine(({ input, raw }) => input === undefined || raw === undefined, 'give input or raw, not both')
  .transform(({ tool, input, raw }) => ({ tool, input: raw ?? JSON.stringify(input ?? {}) }));

const stepSchema = z
  .strictObject({
    text: z.string().optional(),
    /** The text, already split into deltas. */
    deltas: z.array(z.string()).optional(),
    /** How many made-up words to add after the text. */
    tokens: z.int().min(0).max(100_000).optional(),
    reasoning: z.string().optional(),
    calls: z.array(callSchema).default([]),
    delay_ms: milliseconds.optional(),
    first_delay_ms: milliseconds.optional(),
    error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
    hang: z.boolean().optional(),
  })
  .refine((step) => step.text === undefined || step.deltas === undefined, 'give text or deltas, not both')
  .refine((step) => !step.error || !step.hang, 'give error or hang, not both');

const scriptSchema = z.strictObject({ steps: z.array(stepSchema) });
type ScriptStep = z.infer<typeof stepSchema>;

export function scriptedStep(history: readonly HistoryMessage[]): Step {
  const start = history.findLastIndex((message) => message.role === 'user');
  const message = history[start];
  const script = readScript(message?.role === 'user' ? message.content : '');
  if (typeof script === 'string') return invalid(script);

  const index = history.slice(start + 1).filter((later) => later.role === 'assistant').length;
  const step = script[index];
  return step ? toStep(step, index) : { deltas: ['done.'] };
}

/** The script's steps, or an error message. */
function readScript(message: string): readonly ScriptStep[] | string {
  // A message that the server wrote, such as that of a plan's step, has its script between these brackets.
  const content = /⟦([^⟧]*)⟧/u.exec(message)?.[1] ?? message;
  if (isJsonTooDeep(content, SCRIPT_DEPTH)) return `it is nested deeper than ${SCRIPT_DEPTH} levels`;
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    return `it is not JSON (${error instanceof Error ? error.message : String(error)})`;
  }
  const parsed = scriptSchema.safeParse(value);
  if (parsed.success) return parsed.data.steps;
  const { path, message: problem } = parsed.error.issues[0]!;
  return `${path.length > 0 ? `at ${z.core.toDotPath(path)}: ` : ''}${problem}`;
}

function invalid(problem: string): Step {
  const message = `The script cannot be played: ${problem}. The last user message must be JSON such as {"steps":[{"text":"hello"}]}.`;
  return { error: { code: 'invalid_script', message } };
}

function toStep(step: ScriptStep, index: number): Step {
  return {
    ...step,
    deltas: [...(step.deltas ?? splitWords(step.text ?? '')), ...inventedWords(step.tokens ?? 0, index)],
    pace: { first: step.first_delay_ms ?? 0, between: step.delay_ms ?? 0 },
  };
}

const WORDS = splitWords(
  'the run goes on one word after another while every word is kept in order and none is lost ',
);

function inventedWords(count: number, seed: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => WORDS[(index + seed * 5) % WORDS.length]!);
}
