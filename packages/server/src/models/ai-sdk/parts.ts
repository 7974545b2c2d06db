// Turns the parts of a provider's stream into stream events. On the hot path: one call per token, no promise, no copy.
//
// 1. A block's start, deltas and stop keep the provider's order. Metadata from any of them is emitted with the stop, because
//    the next turn needs all of it.
// 2. A call stops with its `tool-call` part, which alone carries the call's metadata.
// 3. At most `CALLS_KEPT` calls of a message are emitted; further calls are dropped.
// 4. `hasOutput` says whether any content was emitted that a retry would repeat.

import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import type { Metadata, StopReason, StreamEvent, Usage } from '@continuo/engine';
import { CALLS_KEPT } from '../model.ts';

type Part<Type extends LanguageModelV4StreamPart['type']> = Extract<
  LanguageModelV4StreamPart,
  { readonly type: Type }
>;

/** How the provider's stream ended, according to the provider. */
export type AiSdkOutcome =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'cut' }
  | { readonly kind: 'failed'; readonly error: unknown };

interface Block {
  readonly kind: 'text' | 'reasoning';
  readonly id: string;
  metadata: Record<string, Record<string, unknown>> | undefined;
}

interface Call {
  written: boolean;
  stopped: boolean;
}

export class AiSdkParts {
  hasOutput = false;
  #block: Block | null = null;
  readonly #calls = new Map<string, Call>();

  /** Adds the events of one part to `events`; returns an outcome if the stream is over. */
  take(part: LanguageModelV4StreamPart, at: number, events: StreamEvent[]): AiSdkOutcome | null {
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
        this.#piece(part, at, events);
        return null;
      case 'tool-input-delta':
        this.#inputPiece(part, at, events);
        return null;
      case 'text-start':
      case 'reasoning-start':
        this.#open(part.type === 'text-start' ? 'text' : 'reasoning', part, at, events);
        return null;
      case 'text-end':
      case 'reasoning-end':
        this.#close(part, at, events);
        return null;
      case 'tool-input-start':
        if (!part.providerExecuted) this.#startCall(part.id, part.toolName, at, events);
        return null;
      case 'tool-call':
        if (!part.providerExecuted) this.#call(part, at, events);
        return null;
      case 'finish':
        return this.#finish(part, at, events);
      case 'error':
        return { kind: 'failed', error: part.error };
      default:
        return null;
    }
  }

  #piece(part: Part<'text-delta' | 'reasoning-delta'>, at: number, events: StreamEvent[]): void {
    const kind = part.type === 'text-delta' ? 'text' : 'reasoning';
    if (this.#block?.id !== part.id || this.#block.kind !== kind) this.#open(kind, part, at, events);
    if (part.providerMetadata) keep(this.#block!, part.providerMetadata);
    if (part.delta === '') return;
    this.hasOutput = true;
    events.push(
      kind === 'text'
        ? { type: 'text_delta', at, text: part.delta }
        : { type: 'reasoning_delta', at, text: part.delta },
    );
  }

  #open(
    kind: Block['kind'],
    { id, providerMetadata }: { id: string; providerMetadata?: SharedV4ProviderMetadata },
    at: number,
    events: StreamEvent[],
  ): void {
    const block: Block = { kind, id, metadata: undefined };
    if (providerMetadata) keep(block, providerMetadata);
    this.#block = block;
    events.push({ type: kind === 'text' ? 'text_block_start' : 'reasoning_block_start', at });
  }

  #close(part: Part<'text-end' | 'reasoning-end'>, at: number, events: StreamEvent[]): void {
    const block = this.#block;
    if (block?.id !== part.id) return;
    if (part.providerMetadata) keep(block, part.providerMetadata);
    this.#block = null;
    const type = block.kind === 'text' ? 'text_block_stop' : 'reasoning_block_stop';
    events.push(block.metadata ? { type, at, metadata: block.metadata } : { type, at });
  }

  #startCall(callId: string, tool: string, at: number, events: StreamEvent[]): Call | null {
    if (this.#calls.size >= CALLS_KEPT) return null;
    const call: Call = { written: false, stopped: false };
    this.#calls.set(callId, call);
    this.hasOutput = true;
    events.push({ type: 'tool_input_start', at, callId, tool });
    return call;
  }

  #inputPiece(part: Part<'tool-input-delta'>, at: number, events: StreamEvent[]): void {
    const call = this.#calls.get(part.id);
    if (!call || part.delta === '') return;
    call.written = true;
    events.push({ type: 'tool_input_delta', at, callId: part.id, text: part.delta });
  }

  #call(part: Part<'tool-call'>, at: number, events: StreamEvent[]): void {
    const callId = part.toolCallId;
    const call = this.#calls.get(callId) ?? this.#startCall(callId, part.toolName, at, events);
    if (!call || call.stopped) return;
    call.stopped = true;
    if (!call.written && part.input !== '')
      events.push({ type: 'tool_input_delta', at, callId, text: part.input });
    const metadata = part.providerMetadata as Metadata | undefined;
    events.push({ type: 'tool_input_stop', at, callId, ...(metadata && { metadata }) });
  }

  #finish(part: Part<'finish'>, at: number, events: StreamEvent[]): AiSdkOutcome {
    const { finishReason, usage, providerMetadata } = part;
    if (finishReason.unified === 'interrupted') return { kind: 'cut' };
    if (finishReason.unified === 'error') {
      const message = `the model stopped with ${finishReason.raw ?? 'an error'}`;
      return { kind: 'failed', error: { message } };
    }
    const metadata = worthKeeping(providerMetadata);
    events.push({
      type: 'message_stop',
      at,
      reason: this.#reason(finishReason),
      usage: aiSdkUsage(usage),
      ...(metadata && { metadata }),
    });
    return { kind: 'stopped' };
  }

  #reason({ unified }: LanguageModelV4FinishReason): StopReason {
    if (unified === 'length') return 'length';
    if (unified === 'content-filter') return 'filtered';
    // Some servers end a message that calls tools with `stop`.
    for (const call of this.#calls.values()) if (call.stopped) return 'tool_use';
    return unified === 'stop' ? 'end' : 'other';
  }
}

function keep(block: Block, metadata: SharedV4ProviderMetadata): void {
  block.metadata ??= {};
  for (const name in metadata) block.metadata[name] = { ...block.metadata[name], ...metadata[name] };
}

/** Drops null fields, which the AI SDK adds for missing metadata. */
function worthKeeping(metadata: SharedV4ProviderMetadata | undefined): Metadata | undefined {
  const kept: Record<string, Record<string, unknown>> = {};
  for (const [name, fields] of Object.entries(metadata ?? {}))
    for (const [key, value] of Object.entries(fields)) if (value != null) (kept[name] ??= {})[key] = value;
  return Object.keys(kept).length > 0 ? kept : undefined;
}

function aiSdkUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage {
  const cachedInput = tokensOf(inputTokens.cacheRead);
  const cacheWrite = tokensOf(inputTokens.cacheWrite);
  const reasoning = tokensOf(outputTokens.reasoning);
  return {
    input: tokensOf(inputTokens.total),
    output: tokensOf(outputTokens.total),
    ...(cachedInput > 0 && { cachedInput }),
    ...(cacheWrite > 0 && { cacheWrite }),
    ...(reasoning > 0 && { reasoning }),
  };
}

/** No answer has more tokens than this; a larger count is wrong. */
const MOST_TOKENS = 1_000_000_000;

/** A provider's token count as a non-negative integer; 0 if the provider sent no usable number. */
function tokensOf(given: unknown): number {
  const count = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
  if (typeof count !== 'number' || !(count > 0) || count > MOST_TOKENS) return 0;
  return Math.round(count);
}
