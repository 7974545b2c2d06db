// One model call. The engine turns the model's stream into messages, and this step appends them as events.

import { AgentEngine, type EngineEvent, type MessagePart } from '@continuo/engine';
import type { EventData, NewEvent } from '@continuo/protocol';
import type { Entry } from '../../log/group.ts';
import { EXECUTOR_LOST } from '../../executors/executor.ts';
import { costOf } from '../../models/prices.ts';
import { yieldWithAbortCheck } from '../../yielding.ts';
import { callWithShorterHistory } from '../../context/fitting.ts';
import { manifestChanges, recordRequest, whenStored, type RecordedRequest } from '../../context/manifest.ts';
import { assembleRequest, estimateRequest, toModelRequest } from '../../context/request.ts';
import { traceparentOf } from '../../telemetry/traces/span.ts';
import type { RunState } from '../../threads/fold.ts';
import { tracedRun } from '../loop/traced-run.ts';
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
  const { pen, queued, hold, interrupted, options, agent } = context;
  const { model } = agent;
  const message = `m${run.messages + 1}`;
  let assembly = await assembleRequest({
    ...context,
    tools: context.tools.schemas,
    pool: options.pool,
    packs: options.packs,
    summaryLines: options.summaryLines,
    historyTokens: options.memory.tokens,
    runId: run.id,
  });
  // To estimate a long history takes a while, and so does sending it: other work gets its turn in between.
  if (assembly.request.history.tokens > LONG_TOKENS) await yieldWithAbortCheck({ mode: 'fast' });
  const budget = queued.family?.budget ?? null;
  const reserved =
    budget &&
    (await reserve(options.pool, budget, {
      runId: run.id,
      message,
      model: model.id,
      inputTokens: estimateRequest(assembly.request),
    }));
  if (reserved && !reserved.ok) {
    options.metrics.budgetRefused(reserved.code);
    await context.begun;
    return { code: reserved.code, error: reserved.error };
  }
  const push = (event: NewEvent) => pen.push(run.id, event);
  const sent: RecordedRequest[] = [];
  let failure: (EventData['error'] & { retryable: boolean }) | null = null;
  let begun = false;
  let pieces = 0;
  let kept: unknown = null;
  const askedAt = options.now();
  const whole: Entry[] = [];
  const changes: LoopChange[] = [];

  const stateChange = (state: unknown): LoopChange => {
    const { workspaceId: workspace } = context;
    return { kind: 'executor_state', event: 0, answer: message, workspace, kept: state };
  };
  const begin = (): void => {
    begun = true;
    const waited_ms = Math.max(0, Math.round(options.now() - askedAt));
    const start: NewEvent = { type: 'message_start', data: { message, model: model.id, waited_ms } };
    pen.push(run.id, start, manifestChanges(sent));
    const { tokens, limit, refused, turnsLeftOut: turns_left_out } = assembly.request.history;
    if (turns_left_out === 0) return;
    const refusal = refused !== null && { refused: { model: model.id, tokens: refused } };
    const data = { message, tokens, limit, turns_left_out, ...refusal };
    push({ type: 'context_usage', data });
  };
  /** The first piece is flushed alone, so that people see it as early as possible. */
  const piece = (type: 'token' | 'reasoning', text: string): void | Promise<void> => {
    push({ type, data: { text, message } });
    pieces += 1;
    if (pieces > 1) return pen.room() ?? undefined;
    pen.flushNow();
    return yieldWithAbortCheck({ mode: 'fast' });
  };
  const present = (_agent: string, event: EngineEvent): void | Promise<void> => {
    switch (event.type) {
      case 'message_start':
        return whenStored(sent)?.then(begin) ?? begin();
      case 'text_delta':
        return piece('token', event.text);
      case 'reasoning_delta':
        return piece('reasoning', event.text);
      case 'stream_error':
        failure = { code: event.code, error: event.message, retryable: event.retryable === true };
        return;
      case 'assistant_message': {
        const { text, ended, reason, metadata } = event;
        const { sources } = assembly.request;
        const parts = withOwnCallIds(event.parts, callIdsOf(context.history, run.id));
        const data: EventData['message_end'] = {
          message,
          text,
          parts,
          ended,
          model: model.id,
          ...(reason && { reason }),
          ...(metadata && { metadata }),
          ...(failure && { error: { code: failure.code, error: failure.error } }),
          ...(sources.length > 0 && { sources }),
        };
        if (text !== '') changes.push(messageRow(0, queued, data));
        if (kept !== null) changes.push(stateChange(kept));
        whole.push({ runId: run.id, event: { type: 'message_end', data } });
        return;
      }
      case 'turn_response': {
        const { usage, ended } = event;
        // Includes the time until the model began to answer.
        const durationMs = Math.max(event.durationMs, event.at - askedAt);
        const cost = costOf(model.id, usage);
        const data = { message, model: model.id, usage, cost, duration_ms: durationMs };
        const spent = { reserved_for: message, tokens: usage.input + usage.output, cost };
        if (budget) changes.push({ kind: 'spend', event: whole.length, ...spent });
        whole.push({ runId: run.id, event: { type: 'usage', data } });
        options.metrics.modelCalled({
          model: model.id,
          ended,
          seconds: durationMs / 1000,
          usage: { ...usage },
          cost,
        });
        return;
      }
      default:
    }
  };

  const ask = () => {
    const request = toModelRequest(assembly.request, { messageId: message, signal: interrupted });
    const { workspaceId } = context;
    const { recipe: history, ...parts } = assembly.request;
    const about = {
      workspaceId,
      threadId: hold.threadId,
      purpose: 'answer' as const,
      answer: message,
      model: model.id,
    };
    sent.push(recordRequest(options.texts, { ...about, ...parts, history, request }));
    return options.executor.answer({
      model,
      request: { ...request, ...(reserved && { maxOutputTokens: reserved.maxOutputTokens }) },
      workspaceId,
      threadId: hold.threadId,
      runId: run.id,
      role: agent.role,
      attempt: hold.attempt,
      traceparent: options.traces && traceparentOf(tracedRun(queued, hold.threadId), message),
      lastAnswer: () => lastAnswerOf(context.history, model.id),
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
    presenters: [present],
  });
  await engine.receive(hold.threadId, {
    id: queued.message.id,
    role: 'user',
    content: queued.message.content,
  });

  await context.begun;
  hold.lost.throwIfAborted();
  // The grace period of the drain is over: the message stays unfinished, and the next owner supersedes it.
  if (hold.hurry.aborted && !context.canceled.aborted) return null;
  if (!begun) {
    await whenStored(sent);
    context.recordLater(manifestChanges(sent));
  }
  const failed = await settle(context, run, { message, begun, whole, changes, failure });
  return failed?.code === 'file_refused' ? withRefusedFiles(context, run, failed) : failed;
}

interface ModelCallResult {
  readonly message: string;
  /** Whether the log has the message's `message_start`. */
  readonly begun: boolean;
  readonly whole: Entry[];
  readonly changes: readonly LoopChange[];
  readonly failure: (EventData['error'] & { readonly retryable: boolean }) | null;
}

/** Appends the outcome of the call: the whole message, or a retry. Resolves to the failure if there is no message. */
async function settle(
  { pen, conclude }: StepContext,
  run: RunState,
  { message, begun, whole, changes, failure }: ModelCallResult,
): Promise<EventData['error'] | null> {
  const retries = failure?.code === EXECUTOR_LOST ? EXECUTOR_RETRIES : RETRIES;
  if (begun && failure?.retryable && run.retries < retries) {
    const cause = { code: failure.code, error: failure.error };
    const data = { status: 'running' as const, attempt: run.attempts, supersedes: message, cause };
    const usage = whole.filter(({ event }) => event.type === 'usage');
    const spent = changes.filter(({ kind }) => kind === 'spend').map((change) => ({ ...change, event: 0 }));
    await pen.append([...usage, { runId: run.id, event: { type: 'state', data } }], spent);
    return null;
  }
  const saysSomething = whole.some(({ event }) => event.type === 'message_end');
  if (saysSomething) await conclude(whole, changes);
  return saysSomething || !failure ? null : { code: failure.code, error: failure.error };
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

function callIdsOf(history: StepContext['history'], runId: string): Set<string> {
  return new Set(
    history.flatMap(({ runId: own, entry }) =>
      own === runId && entry.role === 'assistant'
        ? entry.parts.flatMap((part) => (part.kind === 'tool_call' ? [part.callId] : []))
        : [],
    ),
  );
}

/** Makes call ids unique in the run: many providers restart their numbering with each answer. */
function withOwnCallIds(parts: readonly MessagePart[], taken: Set<string>): readonly MessagePart[] {
  return parts.map((part) => {
    if (part.kind !== 'tool_call') return part;
    let callId = part.callId;
    for (let count = 2; taken.has(callId); count += 1) callId = `${part.callId}_${count}`;
    taken.add(callId);
    return callId === part.callId ? part : { ...part, callId };
  });
}
