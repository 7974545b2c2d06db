// What the log gets of a model's answer. Pure: an event of the engine changes the state of the answer, and may give events that are
// appended at once. The whole message and its usage are appended together, when the answer has ended.

import type { EngineEvent, MessagePart } from '@continuo/engine';
import type { EventData, NewEvent } from '@continuo/protocol';
import { costOf } from '../../models/prices.ts';
import type { AssembledRequest } from '../../context/request.ts';
import type { ThreadState } from '../../threads/fold.ts';

/** A call of a model, as far as the events of its answer depend on it. */
export interface ModelCall {
  readonly runId: string;
  readonly message: string;
  readonly model: string;
  readonly askedAt: number;
  /** How many tokens the provider counts for one that the server estimates. */
  readonly ratio: number;
  readonly request: {
    readonly history: Pick<AssembledRequest['history'], 'tokens' | 'limit' | 'refused' | 'turnsLeftOut'>;
    readonly sources: AssembledRequest['sources'];
  };
  /** The thread's history before the call. */
  readonly history: ThreadState['history'];
}

type Failure = EventData['error'] & { readonly retryable: boolean };

export interface Answer {
  /** Whether the message has its `message_start`. */
  readonly begun: boolean;
  /** How many pieces of text and reasoning have arrived. */
  readonly pieces: number;
  readonly failure: Failure | null;
  /** The whole message; null until it has ended. */
  readonly end: EventData['message_end'] | null;
  readonly usage: EventData['usage'] | null;
}

export const NO_ANSWER: Answer = { begun: false, pieces: 0, failure: null, end: null, usage: null };

interface Presented {
  readonly answer: Answer;
  readonly events: readonly NewEvent[];
}

export function present(call: ModelCall, answer: Answer, event: EngineEvent, now: number): Presented {
  switch (event.type) {
    case 'message_start':
      return { answer: { ...answer, begun: true }, events: startEvents(call, now) };
    case 'text_delta':
      return piece(answer, { type: 'token', data: { text: event.text, message: call.message } });
    case 'reasoning_delta':
      return piece(answer, { type: 'reasoning', data: { text: event.text, message: call.message } });
    case 'stream_error': {
      const failure = { code: event.code, error: event.message, retryable: event.retryable === true };
      return { answer: { ...answer, failure }, events: [] };
    }
    case 'assistant_message':
      return { answer: { ...answer, end: wholeMessage(call, answer, event) }, events: [] };
    case 'turn_response':
      return { answer: { ...answer, usage: usageOf(call, event) }, events: [] };
    default:
      return { answer, events: [] };
  }
}

function piece(answer: Answer, event: NewEvent): Presented {
  return { answer: { ...answer, pieces: answer.pieces + 1 }, events: [event] };
}

function startEvents({ message, model, askedAt, ratio, request }: ModelCall, now: number): NewEvent[] {
  const waited_ms = Math.max(0, Math.round(now - askedAt));
  const start: NewEvent = { type: 'message_start', data: { message, model, waited_ms } };
  const { tokens, limit, refused, turnsLeftOut: turns_left_out } = request.history;
  if (turns_left_out === 0) return [start];
  const refusal = refused !== null && { refused: { model, tokens: refused } };
  const data = { message, tokens: Math.round(tokens * ratio), limit, turns_left_out, ...refusal };
  return [start, { type: 'context_usage', data }];
}

function wholeMessage(
  { runId, message, model, history, request: { sources } }: ModelCall,
  { failure }: Answer,
  { text, parts, ended, reason, metadata }: Extract<EngineEvent, { type: 'assistant_message' }>,
): EventData['message_end'] {
  return {
    message,
    text,
    parts: withOwnCallIds(parts, callIdsOf(history, runId)),
    ended,
    model,
    ...(reason && { reason }),
    ...(metadata && { metadata }),
    ...(failure && { error: { code: failure.code, error: failure.error } }),
    ...(sources.length > 0 && { sources }),
  };
}

function usageOf(
  { message, model, askedAt, ratio }: ModelCall,
  { usage, durationMs, at }: Extract<EngineEvent, { type: 'turn_response' }>,
): EventData['usage'] {
  // Includes the time until the model began to answer.
  const duration_ms = Math.max(durationMs, at - askedAt);
  return {
    message,
    model,
    usage,
    cost: costOf(model, usage),
    duration_ms,
    ...(ratio !== 1 && { ratio }),
  };
}

/** The ids of the calls of the run's earlier messages. */
function callIdsOf(history: ThreadState['history'], runId: string): Set<string> {
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
