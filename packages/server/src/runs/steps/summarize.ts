// Runs the summarizer after a turn: asks its model, or extracts, and gives the events to append.

import type { NewEvent } from '@continuo/protocol';
import {
  askSummarizer,
  isStillDue,
  summarizerEvents,
  summarizerRequest,
  type MemoryWork,
  type SummarizerAnswer,
} from '../../context/summarizer.ts';
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

type Options = Pick<LoopOptions, 'agents' | 'metrics' | 'memory' | 'now'>;

/** Resolves to what is to be appended in a later state of the thread: nothing if the work is no longer due there. */
export async function summarize(
  options: Options,
  question: Question,
): Promise<(later: ThreadState) => readonly NewEvent[]> {
  const { state, work, threadId: sessionId } = question;
  const answer = work.model === null ? null : await ask(options, question, work.model);
  return (later) => {
    if (!isStillDue(later, work, state.memory.versions)) return [];
    return summarizerEvents(later, work, { now: options.now(), sessionId, answer });
  };
}

async function ask(
  { agents, metrics, memory }: Options,
  { workspaceId, threadId: sessionId, state, work, signal }: Question,
  model: string,
): Promise<SummarizerAnswer> {
  const made = await agents.make({ workspaceId, model });
  if (!made.ok) return { text: '', error: made.problem, ended: 'error', seconds: 0, work: {} };
  const request = summarizerRequest(state, work, { sessionId, summaryLines: memory.summaryLines });
  const answer = await askSummarizer(made.agent.model, request, signal);
  const { ended, seconds } = answer;
  const { usage, cost = null } = answer.work;
  metrics.modelCalled({ model: made.agent.model.id, ended, seconds, usage: { ...usage }, cost });
  return answer;
}
