// Converts the chunks of a chat completion into parts. "Compatible" servers differ: a call may lack an id or an index, its input
// may be an object, and reasoning has two names.

import { randomUUID } from 'node:crypto';
import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { CALLS_KEPT } from '../model.ts';

interface Chunk {
  readonly error?: unknown;
  readonly usage?: Tokens | null;
  readonly choices?: readonly {
    readonly delta?: Delta | null;
    readonly finish_reason?: string | null;
  }[];
}

interface Delta {
  readonly content?: string | readonly { readonly type?: string; readonly text?: string }[] | null;
  readonly refusal?: string | null;
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
  readonly tool_calls?: readonly CallDelta[] | null;
}

interface CallDelta {
  readonly index?: number | null;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: unknown } | null;
  /** Where Google's compatible server puts its signatures. */
  readonly extra_content?: { readonly google?: { readonly thought_signature?: string } | null } | null;
}

interface Tokens {
  readonly prompt_tokens?: number | null;
  readonly completion_tokens?: number | null;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | null } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null } | null;
}

interface Call {
  readonly id: string;
  readonly index: number | null;
  name: string;
  input: string;
  signature: string | undefined;
}

/** Characters that a JSON string does not escape. */
// oxlint-disable-next-line no-control-regex
const PLAIN = /^[^"\\\u0000-\u001f]*$/;

const REASONS: Readonly<Record<string, LanguageModelV4FinishReason['unified']>> = {
  stop: 'stop',
  length: 'length',
  content_filter: 'content-filter',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
};

export class AiSdkChatParts {
  /** The server has announced the end of the stream. */
  done = false;
  #open: 'text' | 'reasoning' | null = null;
  readonly #calls: Call[] = [];
  readonly #byId = new Map<string, Call>();
  /** The latest call for each index. */
  readonly #byIndex = new Map<number, Call>();
  /** Set once calls beyond `CALLS_KEPT` were dropped; nameless pieces may belong to them. */
  #dropped = false;
  #finish: string | null = null;
  #refused = false;
  #failed = false;
  #usage: Tokens = {};
  /** The JSON before and after the text of the last text-only chunk. */
  #around: { readonly before: string; readonly after: string } | null = null;

  /** Adds the parts of one event's data to `parts`. */
  take(data: string, parts: LanguageModelV4StreamPart[]): void {
    if (data === '[DONE]') this.done = true;
    if (this.done || this.#failed) return;
    const text = this.#sameButText(data);
    if (text !== null) return this.#say('text', text, parts);
    let chunk: Chunk;
    try {
      chunk = JSON.parse(data) as Chunk;
    } catch {
      return this.#fail({ message: `sent a line that is not JSON: ${data.slice(0, 100)}` }, parts);
    }
    if (chunk.error != null) return this.#fail(chunk.error, parts);
    if (chunk.usage != null) this.#usage = chunk.usage;
    const choice = chunk.choices?.[0];
    if (choice?.finish_reason != null) this.#finish = choice.finish_reason;
    if (choice?.delta != null) this.#delta(choice.delta, parts);
    this.#around = aroundText(data, chunk);
  }

  /**
   * A fast path: most chunks differ from the previous one only in their text, and parsing JSON takes most of the time. If the new
   * text has no quotes, escapes or control characters, replacing the old text by it gives the same parsed value except for the
   * text.
   */
  #sameButText(data: string): string | null {
    const around = this.#around;
    if (!around || data.length < around.before.length + around.after.length) return null;
    if (!data.startsWith(around.before) || !data.endsWith(around.after)) return null;
    const text = data.slice(around.before.length, data.length - around.after.length);
    return PLAIN.test(text) ? text : null;
  }

  /** Ends everything that is still open when the stream is over. */
  end(parts: LanguageModelV4StreamPart[]): void {
    if (this.#failed) return;
    this.#close(parts);
    // Some servers send no finish reason, only the end of the stream.
    const raw = this.#finish ?? (this.done ? (this.#calls.length > 0 ? 'tool_calls' : 'stop') : null);
    const finished = raw !== null;
    if (finished) for (const call of this.#calls) this.#endCall(call, parts);
    const unified = this.#refused ? 'content-filter' : (REASONS[raw ?? ''] ?? 'other');
    parts.push({
      type: 'finish',
      finishReason: { unified: finished ? unified : 'interrupted', raw: this.#finish ?? undefined },
      usage: usageOf(this.#usage),
    });
  }

  #delta(delta: Delta, parts: LanguageModelV4StreamPart[]): void {
    const thought = delta.reasoning_content ?? delta.reasoning;
    if (thought) this.#say('reasoning', thought, parts);
    if (typeof delta.content === 'string') this.#say('text', delta.content, parts);
    else
      for (const { type, text } of delta.content ?? []) if (type === 'text') this.#say('text', text, parts);
    if (delta.refusal) {
      this.#refused = true;
      this.#say('text', delta.refusal, parts);
    }
    for (const call of delta.tool_calls ?? []) this.#call(call, parts);
  }

  #say(kind: 'text' | 'reasoning', delta: string | undefined, parts: LanguageModelV4StreamPart[]): void {
    if (!delta) return;
    if (this.#open !== kind) {
      this.#close(parts);
      this.#open = kind;
      parts.push({ type: `${kind}-start`, id: kind });
    }
    parts.push({ type: kind === 'text' ? 'text-delta' : 'reasoning-delta', id: kind, delta });
  }

  #close(parts: LanguageModelV4StreamPart[]): void {
    if (this.#open) parts.push({ type: `${this.#open}-end`, id: this.#open });
    this.#open = null;
  }

  #call(delta: CallDelta, parts: LanguageModelV4StreamPart[]): void {
    const call = this.#find(delta) ?? (this.#isFull() ? null : this.#begin(delta, parts));
    if (!call) return;
    call.signature ??= delta.extra_content?.google?.thought_signature;
    const given = delta.function?.arguments;
    const input = typeof given === 'string' ? given : given == null ? '' : JSON.stringify(given);
    if (input === '') return;
    call.input += input;
    parts.push({ type: 'tool-input-delta', id: call.id, delta: input });
  }

  /** Finds the call by its index, else by its id; a piece with neither belongs to the last call. */
  #find({ index, id, function: named }: CallDelta): Call | undefined {
    // Some servers give every call of an answer the index 0; then the ids tell them apart.
    const isNew = (call: Call) => Boolean(id && named?.name && call.id !== id);
    const withId = id ? this.#byId.get(id) : undefined;
    if (index != null) {
      const last = this.#byIndex.get(index);
      return last && isNew(last) ? (withId?.index === index ? withId : undefined) : last;
    }
    if (id) return withId;
    return named?.name || this.#dropped ? undefined : this.#calls.at(-1);
  }

  #isFull(): boolean {
    this.#dropped ||= this.#calls.length >= CALLS_KEPT;
    return this.#dropped;
  }

  #begin({ index, id, function: named }: CallDelta, parts: LanguageModelV4StreamPart[]): Call {
    this.#close(parts);
    const taken = !id || this.#byId.has(id);
    const call: Call = {
      id: taken ? `call_${randomUUID().replaceAll('-', '')}` : id,
      index: index ?? null,
      name: named?.name ?? '',
      input: '',
      signature: undefined,
    };
    this.#calls.push(call);
    this.#byId.set(call.id, call);
    if (call.index !== null) this.#byIndex.set(call.index, call);
    parts.push({ type: 'tool-input-start', id: call.id, toolName: call.name });
    return call;
  }

  #endCall({ id, name, input, signature }: Call, parts: LanguageModelV4StreamPart[]): void {
    const metadata = signature !== undefined && {
      providerMetadata: { compatible: { thoughtSignature: signature } },
    };
    parts.push({ type: 'tool-call', toolCallId: id, toolName: name, input: input || '{}', ...metadata });
  }

  #fail(error: unknown, parts: LanguageModelV4StreamPart[]): void {
    this.#failed = true;
    parts.push({ type: 'error', error: typeof error === 'string' ? { message: error } : error });
  }
}

/** The JSON around the chunk's text, if the chunk holds nothing else and the text occurs only once. */
function aroundText(data: string, { usage, choices }: Chunk): { before: string; after: string } | null {
  const choice = choices?.[0];
  const { content } = choice?.delta ?? {};
  if (typeof content !== 'string' || content === '' || !PLAIN.test(content)) return null;
  if (usage != null || choice?.finish_reason != null) return null;
  if (Object.keys(choice!.delta!).some((key) => key !== 'content' && key !== 'role')) return null;
  const mark = `"content":"${content}"`;
  const at = data.indexOf(mark);
  if (at < 0 || data.indexOf('"content"') !== at || data.includes('"content"', at + 1)) return null;
  const start = at + mark.length - 1 - content.length;
  return { before: data.slice(0, start), after: data.slice(start + content.length) };
}

function usageOf(tokens: Tokens): LanguageModelV4Usage {
  const input = tokens.prompt_tokens ?? undefined;
  const output = tokens.completion_tokens ?? undefined;
  const cacheRead = tokens.prompt_tokens_details?.cached_tokens ?? undefined;
  const reasoning = tokens.completion_tokens_details?.reasoning_tokens ?? undefined;
  return {
    inputTokens: { total: input, noCache: undefined, cacheRead, cacheWrite: undefined },
    outputTokens: { total: output, text: undefined, reasoning },
  };
}
