// Decides the offline model's next step from the history alone. Each step of what was recognised is one message with calls; the
// messages since the last user message are replayed against the steps. After a failed call nothing more is called; but if the
// failure asks to read a file first, the model reads it and repeats the call once.

import type { HistoryMessage, ModelRequest } from './request.ts';
import { lastPathIn, matchForm, readClauses, type Call, type CallStep } from './forms.ts';
import { CLAUSE_FORMS, PLAN_FORMS } from './plan-forms.ts';
import { describeCalls, describeResults, introduceModel, type CallOutcome } from './sentences.ts';
import { type Step, splitWords } from './step.ts';
import { replyTo } from './talk.ts';

type AnsweredRequest = Pick<ModelRequest, 'history' | 'tools' | 'system'>;

export function answer({ history, tools, system }: AnsweredRequest, modelId: string): Step {
  const texts = history.flatMap((message) => (message.role === 'user' ? [message.content] : []));
  const text = texts.at(-1) ?? '';
  const situation = {
    tools: new Set(tools.map(({ name }) => name)),
    project: /\bproject_id ([\da-f-]{36})/.exec(system)?.[1],
    it: lastPathIn(texts.slice(-4, -1).join('\n')),
  };
  const steps = matchForm(PLAN_FORMS, text, situation) ?? readClauses(CLAUSE_FORMS, text, situation);
  if (!steps) {
    const examples = tools.length > 0 ? [...CLAUSE_FORMS, ...PLAN_FORMS].map(({ example }) => example) : [];
    const reply = replyTo(history, text);
    if (reply) return { deltas: splitWords(reply.text), slowly: reply.slowly };
    return { deltas: splitWords(introduceModel(modelId, text, examples)) };
  }
  const last = history.findLastIndex((message) => message.role === 'user');
  const { outcomes, next, failed, stock } = replay(steps, turnsIn(history.slice(last + 1)));
  const calls = failed ? undefined : next?.(outcomes);
  if (typeof calls === 'object') {
    const made = calls.map(({ tool, input }) => ({ tool, input: JSON.stringify(input) }));
    return { deltas: splitWords(describeCalls(calls)), calls: made };
  }
  const results = [describeResults(outcomes), calls, failed && next ? 'I did nothing after that.' : ''];
  const whose = stock ? ' What I wrote comes from a fixed stock of lines.' : '';
  const end = `\n(From the offline stand-in: no language model is connected.${whose})`;
  return { deltas: splitWords([...results.filter(Boolean), end].join('\n')) };
}

/** The calls of each message, with their results. */
function turnsIn(history: readonly HistoryMessage[]): readonly (readonly CallOutcome[])[] {
  const none = { output: 'no result came back', failed: true };
  const resultOf = (callId: string) =>
    history.find((message) => message.role === 'tool' && message.callId === callId) ?? none;
  const turns = history.map((message) => (message.role === 'assistant' ? message.parts : []));
  const calls = turns.map((parts) => parts.filter((part) => part.kind === 'tool_call'));
  return calls
    .filter((turn) => turn.length > 0)
    .map((turn) =>
      turn.map(({ callId, tool, input }) => {
        const { output, failed } = resultOf(callId) as typeof none;
        return { tool, input: input.kind === 'json' ? input.value : {}, output, failed };
      }),
    );
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
    const again = refused.map(({ tool, input }): Call => ({ tool, input: input as Call['input'] }));
    const reads = again.map(({ input }): Call => ({ tool: 'read', input: { path: input['path'] } }));
    queue.unshift({ calls: () => reads, detour: 'read' }, { calls: () => again, detour: 'again' });
  }
  return { outcomes, next: queue[0]?.calls, failed: outcomes.some((each) => each.failed), stock };
}

function wantsReading({ tool, output, failed }: CallOutcome): boolean {
  return failed && tool !== 'read' && /\bread it first\b/.test(JSON.stringify(output ?? ''));
}
