// Decides the offline model's next step from the history alone: make the next calls, report their results, ask for missing
// input, or explain what it is.
//
// 1. Each clause leads to at most one call: calls since the last user message are counted against the clauses. So a run
//    takes at most one step per clause, plus one to report.
// 2. After a failed call nothing more is called, and the answer says so. If the failure asks to read a file first, the model
//    reads it and repeats the call once.

import type { HistoryMessage, ModelRequest, ToolSchema } from './request.ts';
import { countFor } from './count.ts';
import { planEntities } from './entities.ts';
import { type Intent, isTooLong, lastPathIn, planFor, planWithAnswer } from './plan.ts';
import { type Step, splitWords } from './step.ts';
import { longStoryFor } from './long-story.ts';
import {
  type CallOutcome,
  NEED,
  askForMissing,
  describePlannedCalls,
  describeResults,
  describeSkippedCalls,
  introduceModel,
} from './sentences.ts';

const TURNS_BACK = 4;
const MOST_CALLS = 20;

export function answer(
  { history, tools, system }: Pick<ModelRequest, 'history' | 'tools' | 'system'>,
  modelId: string,
): Step {
  const { plan: whole, text } = planOf(history, tools, system);
  const plan = whole.slice(0, MOST_CALLS);
  const { outcomes, detours, calls } = followed(outcomesIn(since(history)), tools);
  if (calls.length > 0) {
    const [{ tool }] = calls as [Call];
    const sentence =
      tool !== 'read'
        ? `Calling ${tool} again.`
        : `The ${calls.length > 1 ? 'files' : 'file'} must be read first.`;
    return { deltas: splitWords(sentence), calls };
  }
  const failed = outcomes.some((outcome) => outcome.failed);
  const left = remaining(plan, outcomes);
  const next = left[0];
  const steps = since(history).filter((message) => message.role === 'assistant').length - 2 * detours;

  const derived = failed ? undefined : next?.derive?.(outcomes);
  if (next && next.missing.length === 0 && !failed && steps <= plan.length && derived?.ok !== false) {
    const now = derived
      ? [{ ...next, input: derived.input }]
      : left.filter((intent) => intent.group === next.group && !intent.derive);
    return {
      deltas: splitWords(describePlannedCalls(now)),
      calls: now.map(({ tool, input }) => ({ tool: tool.name, input: JSON.stringify(input) })),
    };
  }
  const counting = outcomes.length === 0 && !next ? countFor(text) : null;
  if (counting) return { ...say(counting.text), slowly: counting.slowly };
  if (outcomes.length === 0 && !next)
    return say(
      longStoryFor(history, text) ?? introduceModel({ modelId, text, tools, tooLong: isTooLong(text) }),
    );
  const sentences = outcomes.length === 0 ? [] : [describeResults(outcomes)];
  if (derived?.ok === false) sentences.push(derived.problem);
  else if (next && !failed) sentences.push(askForMissing(next));
  const undone = [...left.slice(failed ? 0 : 1), ...whole.slice(MOST_CALLS)];
  if (undone.length > 0) sentences.push(describeSkippedCalls(undone, failed));
  const whose = isFromStock(plan, outcomes) ? ' What I wrote comes from a fixed stock of lines.' : '';
  return say(
    `${sentences.join('\n')}\n\n(From the offline stand-in: no language model is connected.${whose})`,
  );
}

/** Whether a call used a stock text instead of the user's own words. */
function isFromStock(plan: readonly Intent[], outcomes: readonly CallOutcome[]): boolean {
  return plan.some(
    ({ stock, derive, tool }) =>
      outcomes.some((outcome) => outcome.tool === tool.name && !outcome.failed) &&
      (stock !== undefined || [derive?.(outcomes)].some((derived) => derived?.ok && derived.stock)),
  );
}

const say = (text: string): Step => ({ deltas: splitWords(text) });

function since(history: readonly HistoryMessage[]): readonly HistoryMessage[] {
  return history.slice(history.findLastIndex((message) => message.role === 'user') + 1);
}

const DISMISSES = /^\W*(?:no|never ?mind|cancel|stop|forget)\b/i;

/** A tool that needs no input would match any request, so one that only looks back must be asked for. */
function toolsFor(text: string, tools: readonly ToolSchema[]): readonly ToolSchema[] {
  return /look(ed|ing)?[ _]back/i.test(text) ? tools : tools.filter(({ name }) => name !== 'look_back');
}

/** The plan for the last user message, which may answer a question that the previous turn left open. */
function planOf(
  history: readonly HistoryMessage[],
  tools: readonly ToolSchema[],
  system: string,
): { readonly plan: readonly Intent[]; readonly text: string } {
  const turns: { readonly at: number; readonly text: string }[] = [];
  for (let at = history.length - 1; at >= 0 && turns.length < TURNS_BACK; at -= 1) {
    const message = history[at]!;
    if (message.role === 'user') turns.unshift({ at, text: message.content });
  }
  const pathBefore = (turn: number): string | null => {
    for (const { text } of turns.slice(0, turn).reverse()) {
      const path = lastPathIn(text);
      if (path !== null) return path;
    }
    return null;
  };
  const planAt = (turn: number): readonly Intent[] => {
    const { at, text } = turns[turn]!;
    const own = planEntities(text, tools, system) ?? planFor(text, toolsFor(text, tools), pathBefore(turn));
    const asked = turn > 0 && wasAsked(history.slice(turns[turn - 1]!.at, at));
    if (own.length > 0 || !asked || DISMISSES.test(text) || isTooLong(text)) return own;
    const before = planAt(turn - 1);
    const gap = before.findIndex((intent) => intent.missing.length > 0);
    return gap < 0 ? own : planWithAnswer(before.slice(gap), text, tools);
  };
  const last = turns.length - 1;
  return last < 0 ? { plan: [], text: '' } : { plan: planAt(last), text: turns[last]!.text };
}

function wasAsked(turn: readonly HistoryMessage[]): boolean {
  const last = turn.findLast((message) => message.role === 'assistant');
  return (
    last?.role === 'assistant' && last.parts.some((part) => part.kind === 'text' && part.text.includes(NEED))
  );
}

function outcomesIn(turn: readonly HistoryMessage[]): readonly CallOutcome[] {
  const results = new Map(
    turn.flatMap((message) => (message.role === 'tool' ? [[message.callId, message] as const] : [])),
  );
  const calls = turn.flatMap((message) =>
    message.role === 'assistant' ? message.parts.filter((part) => part.kind === 'tool_call') : [],
  );
  return calls.map((call) => {
    const result = results.get(call.callId);
    const input = call.input.kind === 'json' ? call.input.value : call.input.text;
    return {
      tool: call.tool,
      input,
      output: result?.output,
      failed: result?.failed ?? true,
      answered: result !== undefined,
    };
  });
}

const READ_FIRST = /\bread it first\b/;

interface Call {
  readonly tool: string;
  readonly input: string;
}

/**
 * Handles calls that were refused because a file must be read first. `calls` are the next calls to make: the reads, then the
 * refused calls again. After both, the refusals and the reads no longer count as outcomes.
 */
function followed(
  outcomes: readonly CallOutcome[],
  tools: readonly ToolSchema[],
): { readonly outcomes: readonly CallOutcome[]; readonly detours: number; readonly calls: readonly Call[] } {
  const nothing = { outcomes, detours: 0, calls: [] };
  const refused = tools.some(({ name }) => name === 'read') ? outcomes.filter(wantsReading) : [];
  if (refused.length === 0) return nothing;
  const last = outcomes.lastIndexOf(refused.at(-1)!);
  const [reads, again] = [
    outcomes.slice(last + 1, last + 1 + refused.length),
    outcomes.slice(last + 1 + refused.length, last + 1 + 2 * refused.length),
  ];
  const calls = (of: (outcome: CallOutcome) => readonly [string, unknown]): readonly Call[] =>
    refused.map((outcome) => {
      const [tool, input] = of(outcome);
      return { tool, input: JSON.stringify(input) };
    });
  if (reads.length === 0)
    return { ...nothing, calls: calls(({ input }) => ['read', { path: pathIn(input) }]) };
  if (reads.some(({ tool, failed }) => tool !== 'read' || failed)) return nothing;
  if (again.length === 0) return { ...nothing, calls: calls(({ tool, input }) => [tool, input]) };
  const detour = new Set([...refused, ...reads]);
  return { outcomes: outcomes.filter((outcome) => !detour.has(outcome)), detours: 1, calls: [] };
}

function wantsReading({ tool, input, output, failed }: CallOutcome): boolean {
  return (
    failed &&
    tool !== 'read' &&
    typeof pathIn(input) === 'string' &&
    READ_FIRST.test(JSON.stringify(output ?? ''))
  );
}

function pathIn(input: unknown): unknown {
  return (input as { readonly path?: unknown } | undefined)?.path;
}

/** The clauses that have had no call since the last user message. */
function remaining(plan: readonly Intent[], outcomes: readonly CallOutcome[]): readonly Intent[] {
  const made = new Map<string, number>();
  for (const { tool } of outcomes) made.set(tool, (made.get(tool) ?? 0) + 1);
  return plan.filter(({ tool }) => {
    const count = made.get(tool.name) ?? 0;
    if (count > 0) made.set(tool.name, count - 1);
    return count === 0;
  });
}
