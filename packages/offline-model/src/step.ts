// One step of an offline model, and how it becomes a stream of events. The deltas of a block, joined, are its text. At zero pace
// nothing waits: no timer, no await. An abort is the last event, even in the middle of a wait.

import type { StreamEvent } from '@continuo/engine';
import type { HistoryMessage, ModelRequest } from './request.ts';

export interface OfflineWorld {
  now(): number;
  /** Waits; an abort ends the wait early, by resolving or by rejecting. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface Pace {
  /** Milliseconds before the first delta. */
  readonly first: number;
  /** Milliseconds before any later delta. */
  readonly between: (index: number, text: string) => number;
}

export interface Step {
  readonly reasoning?: string;
  readonly deltas?: readonly string[];
  /** The input is as the model writes it, valid JSON or not. */
  readonly calls?: readonly { readonly tool: string; readonly input: string }[];
  readonly pace?: Pace;
  /** Whether the user asked for a slow answer. */
  readonly slowly?: boolean;
  readonly end?: { kind: 'error'; code: string; message: string } | { kind: 'hang' };
}

/** Splits a text into words with their trailing space; joined, they are the text. */
export function splitWords(text: string): readonly string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}

interface Performance {
  readonly id: string;
  readonly request: ModelRequest;
  readonly world: OfflineWorld;
  readonly stepFor: (request: ModelRequest) => Step;
}

export async function* play(performance: Performance): AsyncGenerator<StreamEvent, void, undefined> {
  const { id, request, world, stepFor } = performance;
  const { signal, messageId } = request;
  const now = () => world.now();
  const interrupted = (): StreamEvent => ({ type: 'stream_interrupted', at: now(), reason: 'aborted' });
  if (signal.aborted) return yield interrupted();

  yield { type: 'message_start', at: now(), messageId, model: id };
  const step = stepFor(request);
  for (const next of perform(step, request, now)) {
    if (typeof next === 'number') await wait(world, next, signal);
    if (signal.aborted) return yield interrupted();
    if (typeof next !== 'number') yield next;
  }
  if (step.end?.kind !== 'hang') return;
  await aborted(signal);
  yield interrupted();
}

/** The events in order, and the waits between them in milliseconds. */
function* perform(step: Step, request: ModelRequest, now: () => number): Generator<StreamEvent | number> {
  let output = 0;
  const pause = function* (text: string): Generator<number> {
    const ms = output === 0 ? 0 : (step.pace?.between(output, text) ?? 0);
    output += 1;
    if (ms > 0) yield ms;
  };
  if (step.pace && step.pace.first > 0) yield step.pace.first;

  if (step.reasoning) {
    yield { type: 'reasoning_block_start', at: now() };
    for (const text of splitWords(step.reasoning)) {
      yield* pause(text);
      yield { type: 'reasoning_delta', at: now(), text };
    }
    yield { type: 'reasoning_block_stop', at: now() };
  }
  const reasoning = output;

  const calls = step.calls ?? [];
  if (step.deltas && step.deltas.length > 0) {
    yield { type: 'text_block_start', at: now() };
    for (const text of step.deltas.slice(0, Math.max(0, (request.maxOutputTokens ?? Infinity) - output))) {
      yield* pause(text);
      yield { type: 'text_delta', at: now(), text };
    }
    // A stream that breaks off after its text leaves the block open, as a real provider's does.
    if (!step.end || calls.length > 0) yield { type: 'text_block_stop', at: now() };
  }

  for (const [index, call] of calls.entries()) {
    const callId = callIdFor(request.messageId, index);
    yield { type: 'tool_input_start', at: now(), callId, tool: call.tool };
    for (const text of call.input.match(/[\s\S]{1,16}/gu) ?? []) {
      yield* pause(text);
      yield { type: 'tool_input_delta', at: now(), callId, text };
    }
    yield { type: 'tool_input_stop', at: now(), callId };
  }

  if (step.end?.kind === 'error')
    yield { type: 'stream_error', at: now(), code: step.end.code, message: step.end.message };
  if (step.end) return;
  const usage = { input: tokensIn(request), output, ...(reasoning > 0 && { reasoning }) };
  yield { type: 'message_stop', at: now(), reason: calls.length > 0 ? 'tool_use' : 'end', usage };
}

/** At most 64 letters, digits, `_` and `-`, which every provider accepts. */
function callIdFor(messageId: string, index: number): string {
  const suffix = `_${index}`;
  return messageId.replace(/[^a-zA-Z0-9_-]/g, '_').slice(-(64 - suffix.length)) + suffix;
}

/** An estimate: four characters per token, over the whole request. */
function tokensIn(request: ModelRequest): number {
  let characters = request.system.length;
  for (const message of request.history) characters += lengthOf(message);
  return Math.ceil(characters / 4);
}

function lengthOf(message: HistoryMessage): number {
  if (message.role === 'tool') return jsonLength(message.output);
  if (message.role !== 'assistant') return message.content.length;
  const lengths = message.parts.map((part) =>
    part.kind === 'tool_call' ? jsonLength(part.input) : part.text.length,
  );
  return lengths.reduce((sum, length) => sum + length, 0);
}

function jsonLength(value: unknown): number {
  return typeof value === 'string' ? value.length : (JSON.stringify(value)?.length ?? 0);
}

async function wait(world: OfflineWorld, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await world.sleep(ms, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
