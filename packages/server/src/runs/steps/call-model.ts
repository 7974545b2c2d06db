// One model call. The engine turns the model's stream into messages, `present` says what the log gets of them, and this step
// appends that.

import { AgentEngine, type EngineEvent } from '@continuo/engine';
import type { EventData } from '@continuo/protocol';
import type { Entry } from '../../log/group.ts';
import { EXECUTOR_LOST } from '../../executors/executor.ts';
import { ITEMS_PER_TURN, yieldWithAbortCheck } from '../../limits/yielding.ts';
import { callWithShorterHistory } from '../../context/fitting.ts';
import { manifestChanges, recordRequest, whenStored, type RecordedRequest } from '../../context/manifest.ts';
import {
  assembleRequest,
  estimateRequest,
  toModelRequest,
  type AssembledRequest,
} from '../../context/request.ts';
import { traceparentOf } from '../../telemetry/traces/span.ts';
import type { RunState } from '../../threads/fold.ts';
import { tracedRun } from '../loop/traced-run.ts';
import { NO_ANSWER, present, type Answer, type ModelCall } from './present.ts';
import { withRefusedFiles } from './refused-files.ts';
import { messageRow, type StepContext } from './step.ts';
import { reserve } from '../budgets/reserve.ts';
import type { LoopChange } from '../changes.ts';

/** How often a message is retried after its stream broke. The retry supersedes the partial message. */
const RETRIES = 1;
/** How often it is retried after its executor died or was too slow: as often as pods may die. */
const EXECUTOR_RETRIES = 20;
const LONG_TOKENS = 100_000;

/** Resolves to a failure that ends the run, or to null if the log holds the outcome. */
export async function callModel(context: StepContext, run: RunState): Promise<EventData['error'] | null> {
  const { pen, hold, queued, options, agent } = context;
  const model = agent.model.id;
  const message = `m${run.messages + 1}`;
  const ratio = await options.ratios.of(context.workspaceId, model);
  let assembly = await assembleRequest({
    ...context,
    ratio,
    tools: context.tools.schemas,
    pool: options.pool,
    packs: options.packs,
    summaryLines: options.summaryLines,
    historyTokens: options.memory.tokens,
    runId: run.id,
  });
  // To estimate a long history takes a while, and so does sending it: other work gets its turn in between.
  if (assembly.request.history.tokens > LONG_TOKENS) await yieldWithAbortCheck({ mode: 'fast' });
  const reserved = await reserveBudget(context, { runId: run.id, message, model, ratio }, assembly.request);
  if (reserved && !reserved.ok) {
    options.metrics.budgetRefused(reserved.code);
    await context.begun;
    return { code: reserved.code, error: reserved.error };
  }

  const { history } = context;
  const askedAt = options.now();
  const call = (): ModelCall => {
    return { runId: run.id, message, model, askedAt, ratio, history, request: assembly.request };
  };
  const sent: RecordedRequest[] = [];
  let answer = NO_ANSWER;
  let kept: unknown = null;
  let calls = 0;

  const onEvent = (_agent: string, event: EngineEvent): void | Promise<void> => {
    const presented = present(call(), answer, event, options.now());
    answer = presented.answer;
    const push = () =>
      presented.events.forEach((each, index) =>
        // The manifests commit with the first event of the answer.
        pen.push(run.id, each, index === 0 && event.type === 'message_start' ? manifestChanges(sent) : []),
      );
    if (event.type === 'message_start') return whenStored(sent)?.then(push) ?? push();
    push();
    if (event.type === 'turn_response') recordUse(context, assembly.request, answer.usage!, event.ended);
    if (event.type === 'tool_input_start' && (calls += 1) % ITEMS_PER_TURN === 0)
      return yieldWithAbortCheck({ mode: 'fast' });
    if (event.type !== 'text_delta' && event.type !== 'reasoning_delta') return;
    if (answer.pieces > 1) return pen.room() ?? undefined;
    // The first piece is flushed alone, so that people see it as early as possible.
    pen.flushNow();
    return yieldWithAbortCheck({ mode: 'fast' });
  };
  const ask = () => {
    const request = toModelRequest(assembly.request, { messageId: message, signal: context.interrupted });
    sent.push(recordAnswerRequest(context, message, { request, assembled: assembly.request }));
    return options.executor.answer({
      model: agent.model,
      request: { ...request, ...(reserved && { maxOutputTokens: reserved.maxOutputTokens }) },
      workspaceId: context.workspaceId,
      threadId: hold.threadId,
      runId: run.id,
      role: agent.role,
      attempt: hold.attempt,
      traceparent: options.traces && traceparentOf(tracedRun(queued, hold.threadId), message),
      lastAnswer: () => lastAnswerOf(history, model),
      keep: (state) => (kept = state),
    });
  };
  const shorten = (): boolean => {
    const shorter = assembly.shorter();
    assembly = shorter ?? assembly;
    return shorter !== null;
  };
  const engine = new AgentEngine({
    driver: () => callWithShorterHistory(ask, shorten),
    presenters: [onEvent],
  });
  const { id, content } = queued.message;
  await engine.receive(hold.threadId, { id, role: 'user', content });

  await context.begun;
  hold.lost.throwIfAborted();
  // The grace period of the drain is over: the message stays unfinished, and the next owner supersedes it.
  if (hold.hurry.aborted && !context.canceled.aborted) return null;
  if (!answer.begun) {
    await whenStored(sent);
    context.recordLater(manifestChanges(sent));
  }
  const failed = await appendOutcome(context, run, { message, answer, kept });
  return failed?.code === 'file_refused' ? withRefusedFiles(context, run, failed) : failed;
}

/** Reserves what the call may spend of the run's budget; null if the run has none. */
async function reserveBudget(
  { queued, options: { pool } }: StepContext,
  { ratio, ...call }: { runId: string; message: string; model: string; ratio: number },
  request: AssembledRequest,
) {
  const budget = queued.family?.budget;
  if (!budget) return null;
  return reserve(pool, budget, { ...call, inputTokens: Math.ceil(estimateRequest(request) * ratio) });
}

function recordAnswerRequest(
  { workspaceId, hold: { threadId }, agent, options }: StepContext,
  answer: string,
  { request, assembled }: { request: ReturnType<typeof toModelRequest>; assembled: AssembledRequest },
): RecordedRequest {
  const { recipe: history, ...parts } = assembled;
  const about = { workspaceId, threadId, purpose: 'answer' as const, answer, model: agent.model.id };
  return recordRequest(options.texts, { ...about, ...parts, history, request });
}

/** Counts the call in the metrics, and learns how the provider's tokens relate to the estimate. */
function recordUse(
  { workspaceId, options: { ratios, metrics } }: StepContext,
  request: AssembledRequest,
  { model, usage, cost, duration_ms }: EventData['usage'],
  ended: EventData['message_end']['ended'],
): void {
  void ratios.learn({ workspaceId, model, estimated: estimateRequest(request), reported: usage.input });
  metrics.modelCalled({ model, ended, seconds: duration_ms / 1000, usage: { ...usage }, cost });
}

interface ModelCallResult {
  readonly message: string;
  readonly answer: Answer;
  /** The state that an executor stored with the answer; null without one. */
  readonly kept: unknown;
}

/** Appends the outcome of the call: the whole message, or a retry. Resolves to the failure if there is no message. */
async function appendOutcome(
  { pen, conclude, queued, workspaceId }: StepContext,
  run: RunState,
  { message, answer: { begun, failure, end, usage }, kept }: ModelCallResult,
): Promise<EventData['error'] | null> {
  const used: Entry[] = usage === null ? [] : [{ runId: run.id, event: { type: 'usage', data: usage } }];
  const spent = (event: number): LoopChange[] => {
    if (usage === null || !queued.family?.budget) return [];
    const tokens = usage.usage.input + usage.usage.output;
    return [{ kind: 'spend', event, reserved_for: message, tokens, cost: usage.cost }];
  };
  const retries = failure?.code === EXECUTOR_LOST ? EXECUTOR_RETRIES : RETRIES;
  if (begun && failure?.retryable && run.retries < retries) {
    const cause = { code: failure.code, error: failure.error };
    const data = { status: 'running' as const, attempt: run.attempts, supersedes: message, cause };
    await pen.append([...used, { runId: run.id, event: { type: 'state', data } }], spent(0));
    return null;
  }
  if (end === null) return failure && { code: failure.code, error: failure.error };
  const state = { answer: message, workspace: workspaceId, kept };
  const changes: LoopChange[] = [
    ...(end.text === '' ? [] : [messageRow(0, queued, end)]),
    ...(kept === null ? [] : [{ kind: 'executor_state' as const, event: 0, ...state }]),
    ...spent(1),
  ];
  await conclude([{ runId: run.id, event: { type: 'message_end', data: end } }, ...used], changes);
  return null;
}

/** The last answer that the model wrote in the thread. */
function lastAnswerOf(
  history: StepContext['history'],
  model: string,
): { readonly runId: string; readonly message: string } | null {
  const last = history.findLast(({ entry }) => entry.role === 'assistant' && entry.model === model);
  if (last?.entry.role !== 'assistant') return null;
  return { runId: last.runId, message: last.entry.id.slice(last.entry.id.indexOf('/') + 1) };
}
