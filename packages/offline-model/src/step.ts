// One step of an offline model, and how it becomes a stream of events. The deltas of a block, joined, are its text. At zero pace
// nothing waits: no timer, no await. An abort is the last event, even in the middle of a wait.

import type { StreamEvent } from '@continuo/engine';
import type { ModelRequest } from './request.ts';

export interface OfflineWorld {
  now(): number;
  /** Waits; an abort ends the wait early, by resolving or by rejecting. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface OfflineOptions {
  readonly id: string;
  /** The clock. */
  readonly world: OfflineWorld;
  readonly mostCalls: number;
}

export interface Step {
  readonly reasoning?: string | undefined;
  readonly deltas?: readonly string[];
  /** The input is as the model writes it, valid JSON or not. Calls above the limit of a message are dropped. */
  readonly calls?: readonly { readonly tool: string; readonly input: string }[];
  /** Milliseconds before the first delta, and before each later one. */
  readonly pace?: { readonly first: number; readonly between: number };
  /** Ends the stream after what is before it; so does a hang, at the abort. */
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  readonly hang?: boolean | undefined;
}

/** Splits a text into words with their trailing space; joined, they are the text. */
export function splitWords(text: string): readonly string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}

/** One model call. Failures are `stream_error` events; an abort ends the stream. */
export async function* play(
  { id, world, mostCalls }: OfflineOptions,
  stepFor: (request: ModelRequest) => Step,
  request: ModelRequest,
): AsyncGenerator<StreamEvent, void, undefined> {
  const { signal, messageId } = request;
  const now = () => world.now();
  const interrupted = (): StreamEvent => ({ type: 'stream_interrupted', at: now(), reason: 'aborted' });
  if (signal.aborted) return yield interrupted();

  yield { type: 'message_start', at: now(), messageId, model: id };
  const whole = stepFor(request);
  const step = { ...whole, calls: (whole.calls ?? []).slice(0, mostCalls) };
  for (const next of perform(step, request, now)) {
    if (typeof next === 'number')
      await world.sleep(next, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    if (signal.aborted) return yield interrupted();
    if (typeof next !== 'number') yield next;
  }
  if (!step.hang) return;
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  yield interrupted();
}

/** The events in order, and the waits between them in milliseconds. */
function* perform(step: Step, request: ModelRequest, now: () => number): Generator<StreamEvent | number> {
  const { calls = [], pace = { first: 0, between: 0 } } = step;
  let output = 0;
  const deltas = function* (texts: readonly string[], event: (text: string) => StreamEvent) {
    for (const text of texts) {
      if (output > 0 && pace.between > 0) yield pace.between;
      output += 1;
      yield event(text);
    }
  };
  if (pace.first > 0) yield pace.first;

  if (step.reasoning) {
    yield { type: 'reasoning_block_start', at: now() };
    yield* deltas(splitWords(step.reasoning), (text) => ({ type: 'reasoning_delta', at: now(), text }));
    yield { type: 'reasoning_block_stop', at: now() };
  }
  const reasoning = output;

  if (step.deltas && step.deltas.length > 0) {
    const most = Math.max(0, (request.maxOutputTokens ?? Infinity) - output);
    yield { type: 'text_block_start', at: now() };
    yield* deltas(step.deltas.slice(0, most), (text) => ({ type: 'text_delta', at: now(), text }));
    // A stream that breaks off after its text leaves the block open, as a real provider's does.
    if (calls.length > 0 || !(step.error || step.hang)) yield { type: 'text_block_stop', at: now() };
  }

  for (const [index, { tool, input }] of calls.entries()) {
    // At most 64 letters, digits, `_` and `-`, which every provider accepts.
    const callId = `${request.messageId.replace(/[^\w-]/g, '_').slice(-56)}_${index}`;
    const parts = input.match(/[\s\S]{1,16}/gu) ?? [];
    yield { type: 'tool_input_start', at: now(), callId, tool };
    yield* deltas(parts, (text) => ({ type: 'tool_input_delta', at: now(), callId, text }));
    yield { type: 'tool_input_stop', at: now(), callId };
  }

  if (step.error) return yield { type: 'stream_error', at: now(), ...step.error };
  if (step.hang) return;
  const usage = { input: tokensIn(request), output, ...(reasoning > 0 && { reasoning }) };
  yield { type: 'message_stop', at: now(), reason: calls.length > 0 ? 'tool_use' : 'end', usage };
}

/** An estimate: four characters per token, over the whole request. */
function tokensIn({ system, history }: ModelRequest): number {
  const said = history.flatMap((message): readonly unknown[] => {
    if (message.role === 'tool') return [message.output];
    if (message.role !== 'assistant') return [message.content];
    return message.parts.map((part) => (part.kind === 'tool_call' ? part.input : part.text));
  });
  const texts = said.map((each) => (typeof each === 'string' ? each : (JSON.stringify(each) ?? '')));
  return Math.ceil(texts.reduce((sum, text) => sum + text.length, system.length) / 4);
}
