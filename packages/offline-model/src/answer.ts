// Decides the offline model's next step from the history alone. Each step of what was recognised is one message with calls; the
// messages since the last user message are replayed against the steps. After a failed call nothing more is called; but if the
// failure asks to read a file first, the model reads it and repeats the call once.

import type { MessagePart } from '@continuo/engine';
import type { HistoryMessage, ModelRequest } from './request.ts';
import { lastPathIn, matchForm, readClauses, type Call, type CallOutcome, type CallStep } from './forms.ts';
import { CLAUSE_FORMS, PLAN_FORMS } from './plan-forms.ts';
import { describeResults, introduceModel, nameOf } from './sentences.ts';
import { type Step, splitWords } from './step.ts';
import { TALK_FORMS } from './talk.ts';

/** Talk is no work: a goal or a plan's step has only the other clauses. */
const CLAUSES = [...CLAUSE_FORMS, ...TALK_FORMS];

export function answer({ history, tools, system }: ModelRequest, modelId: string): Step {
  const texts = history.flatMap((message) => (message.role === 'user' ? [message.content] : []));
  const text = texts.at(-1) ?? '';
  const situation = {
    tools: new Set(tools.map(({ name }) => name)),
    project: /\bproject_id ([\da-f-]{36})/.exec(system)?.[1],
    it: lastPathIn(texts.slice(-4, -1).join('\n')),
    history,
  };
  const steps = matchForm(PLAN_FORMS, text, situation) ?? readClauses(CLAUSES, text, situation);
  if (!steps) {
    const examples = tools.length > 0 ? [...CLAUSES, ...PLAN_FORMS].map(({ example }) => example) : [];
    return { deltas: splitWords(introduceModel(modelId, text, examples)) };
  }
  const last = history.findLastIndex((message) => message.role === 'user');
  const { outcomes, next, failed, stock } = replay(steps, turnsIn(history.slice(last + 1)));
  const calls = failed ? undefined : next?.(outcomes);
  if (typeof calls === 'object') {
    const made = calls.map(({ tool, input }) => ({ tool, input: JSON.stringify(input) }));
    return { deltas: splitWords(`Calling ${calls.map(nameOf).join(', ')}.`), calls: made };
  }
  const results = [describeResults(outcomes), calls, failed && next ? 'I did nothing after that.' : ''];
  const whose = stock ? ' What I wrote comes from a fixed stock of lines.' : '';
  const end = `\n(From the offline stand-in: no language model is connected.${whose})`;
  return { deltas: splitWords([...results.filter(Boolean), end].join('\n')) };
}

/** The calls of each message, with their results. */
function turnsIn(history: readonly HistoryMessage[]): readonly (readonly CallOutcome[])[] {
  const none = { output: 'no result came back', failed: true };
  const results = new Map(history.flatMap((each) => (each.role === 'tool' ? [[each.callId, each]] : [])));
  const outcomesOf = (part: MessagePart): readonly CallOutcome[] => {
    if (part.kind !== 'tool_call') return [];
    const { output, failed } = results.get(part.callId) ?? none;
    const input = (part.input.kind === 'json' ? part.input.value : {}) as Call['input'];
    return [{ tool: part.tool, input, output, failed }];
  };
  const turns = history.map((each) => (each.role === 'assistant' ? each.parts.flatMap(outcomesOf) : []));
  return turns.filter((turn) => turn.length > 0);
}

function replay(steps: readonly CallStep[], turns: readonly (readonly CallOutcome[])[]) {
  // A detour follows calls that were refused until their files are read: the reads, and the calls again.
  const queue: { calls: CallStep; detour?: 'read' | 'again' }[] = steps.map((calls) => ({ calls }));
  const outcomes: CallOutcome[] = [];
  let stock = false;
  for (const turn of turns) {
    const { calls, detour } = queue.shift() ?? { calls: () => [] };
    const made = calls(outcomes);
    stock ||= typeof made === 'object' && made.some((each) => each.stock);
    const refused = detour ? [] : turn.filter(wantsReading);
    outcomes.push(...turn.filter((each) => !refused.includes(each) && (detour !== 'read' || each.failed)));
    if (refused.length === 0) continue;
    const reads = refused.map(({ input: { path } }): Call => ({ tool: 'read', input: { path } }));
    queue.unshift({ calls: () => reads, detour: 'read' }, { calls: () => refused, detour: 'again' });
  }
  return { outcomes, next: queue[0]?.calls, failed: outcomes.some((each) => each.failed), stock };
}

function wantsReading({ tool, output, failed }: CallOutcome): boolean {
  return failed && tool !== 'read' && /\bread it first\b/.test(JSON.stringify(output ?? ''));
}
