// Runs the summarizer after a turn: asks its model, or extracts, and gives the events to append.

import type { NewEvent } from '@continuo/protocol';
import {
  askSummarizer,
  isStillDue,
  lateAnswerEvents,
  recipeOf,
  summarizerEvents,
  summarizerRequest,
  type MemoryWork,
  type SummarizerAnswer,
} from '../../context/summarizer.ts';
import { manifestChanges, recordRequest, type ContextChange } from '../../context/manifest.ts';
import type { ThreadState } from '../../threads/fold.ts';
import type { LoopOptions } from './step.ts';

interface Question {
  readonly workspaceId: string;
  readonly threadId: string;
  /** The state that the work was found in. */
  readonly state: ThreadState;
  readonly work: MemoryWork;
  readonly signal: AbortSignal;
}

type Options = Pick<LoopOptions, 'agents' | 'metrics' | 'memory' | 'texts' | 'now'>;

interface Summarized {
  /** What is to be appended in a later state of the thread: only what the answer cost, if the work is no longer due there. */
  readonly events: (later: ThreadState) => readonly NewEvent[];
  /** The manifest of the request, if a model was asked. */
  readonly manifests: readonly ContextChange[];
}

export async function summarize(options: Options, question: Question): Promise<Summarized> {
  const { state, work, threadId: sessionId } = question;
  const asked = work.model === null ? null : await ask(options, question, work.model);
  const events = (later: ThreadState) => {
    const outcome = { now: options.now(), sessionId, answer: asked?.answer ?? null };
    return isStillDue(later, work, state.memory.versions)
      ? summarizerEvents(later, work, outcome)
      : lateAnswerEvents(work, outcome);
  };
  return { events, manifests: asked?.manifests ?? [] };
}

async function ask(
  { agents, metrics, memory, texts }: Options,
  { workspaceId, threadId, state, work, signal }: Question,
  name: string,
): Promise<{ readonly answer: SummarizerAnswer; readonly manifests: readonly ContextChange[] }> {
  const made = await agents.make({ workspaceId, model: name });
  if (!made.ok) {
    const answer = { text: '', error: made.problem, ended: 'error', seconds: 0, work: {} };
    return { answer, manifests: [] };
  }
  const { model } = made.agent;
  const { summaryLines } = memory;
  const request = summarizerRequest(state, work, { sessionId: threadId, summaryLines });
  const recorded = recordRequest(texts, {
    workspaceId,
    threadId,
    purpose: 'summary',
    answer: null,
    model: model.id,
    request,
    system: [{ kind: 'task', text: request.system, source: { kind: 'text', name: 'summary' } }],
    history: recipeOf(state, work, summaryLines),
  });
  const answer = await askSummarizer(model, request, signal);
  await recorded.stored;
  const { ended, seconds } = answer;
  const { usage, cost = null } = answer.work;
  metrics.modelCalled({ model: model.id, ended, seconds, usage: { ...usage }, cost });
  return { answer, manifests: manifestChanges([recorded]) };
}
