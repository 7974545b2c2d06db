// A provider's model, as the run loop uses it: one step, as a stream of events.
//
// 1. Before any content was emitted, a transient failure is retried here, silently.
// 2. After that nothing is retried here: the error says `retryable`, and the run loop, which can supersede the message,
//    decides.
// 3. The last event is always `message_stop`, `stream_error` or `stream_interrupted`.
//
// The iterator is written by hand because it runs once per token, and an async generator is slower.

import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { StreamEvent } from '@continuo/engine';
import type { Model, ModelRequest } from '../model.ts';
import { AI_SDK_RETRIES, type AiSdkRetries, aiSdkBackoff, aiSdkTooLong } from './backoff.ts';
import { AiSdkCall, type AiSdkWorld } from './call.ts';
import { type AiSdkFailure, type AiSdkFailureContext, aiSdkFailureOf } from './failure.ts';
import { type AiSdkOutcome, AiSdkParts } from './parts.ts';

export interface AiSdkLoaded {
  readonly model: LanguageModelV4;
  readonly options: (request: ModelRequest) => LanguageModelV4CallOptions;
}

interface AiSdkModelSettings {
  /** `provider/model`. */
  readonly id: string;
  readonly world: AiSdkWorld;
  /** Called for each model call; the result is cached after the first. */
  readonly load: () => Promise<AiSdkLoaded>;
  readonly failures: Omit<AiSdkFailureContext, 'now' | 'files'>;
  /** How long a provider may be silent. */
  readonly idleMs?: number | undefined;
  readonly retries?: AiSdkRetries | undefined;
  /** Called when a model call is retried. */
  readonly onRetry: (code: string) => void;
}

const IDLE_MS = 120_000;
/** How long a provider may send only keep-alives; at least as long as it may be silent. */
const WORDLESS_MS = 30 * 60_000;

export function createAiSdkDriver(settings: AiSdkModelSettings): Model {
  return { id: settings.id, stream: (request) => new AiSdkStream(settings, request) };
}

interface Attempt {
  readonly call: AiSdkCall;
  readonly parts: AiSdkParts;
}

class AiSdkStream implements AsyncIterableIterator<StreamEvent, undefined, undefined> {
  readonly #settings: AiSdkModelSettings;
  readonly #request: ModelRequest;
  /** Events that the consumer has not read yet; `#next` is the index of the first. */
  #events: StreamEvent[] = [];
  #next = 0;
  #attempt: Attempt | null = null;
  #started = false;
  #ended = false;
  #failed = 0;

  constructor(settings: AiSdkModelSettings, request: ModelRequest) {
    this.#settings = settings;
    this.#request = request;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<StreamEvent, undefined>> {
    if (this.#next < this.#events.length)
      return Promise.resolve({ done: false, value: this.#events[this.#next++]! });
    return this.#ended ? Promise.resolve({ done: true, value: undefined }) : this.#advance();
  }

  return(): Promise<IteratorResult<StreamEvent, undefined>> {
    if (!this.#ended) this.#close(false);
    this.#ended = true;
    this.#events = [];
    this.#next = 0;
    return Promise.resolve({ done: true, value: undefined });
  }

  async #advance(): Promise<IteratorResult<StreamEvent, undefined>> {
    const { world } = this.#settings;
    this.#events.length = 0;
    this.#next = 0;
    while (this.#events.length === 0 && !this.#ended) {
      const attempt = this.#attempt;
      if (!attempt) {
        await this.#open();
        continue;
      }
      let part;
      try {
        part = (await attempt.call.read()).value;
      } catch (error) {
        await this.#broke(attempt, error);
        continue;
      }
      const outcome =
        part && !attempt.call.cut && !this.#ended
          ? attempt.parts.take(part, world.now(), this.#events)
          : ({ kind: 'cut' } as const);
      attempt.call.arrived({ said: this.#events.length > 0 });
      if (outcome) await this.#over(attempt, outcome);
    }
    if (this.#events.length === 0) return { done: true, value: undefined };
    if (!this.#started) this.#start();
    return { done: false, value: this.#events[this.#next++]! };
  }

  /** Emits `message_start`, unless the first event is an error or an abort. */
  #start(): void {
    const { type, at } = this.#events[0]!;
    if (type === 'stream_error' || type === 'stream_interrupted') return;
    this.#started = true;
    const { messageId } = this.#request;
    this.#events.unshift({ type: 'message_start', at, messageId, model: this.#settings.id });
  }

  async #open(): Promise<void> {
    const { world, load } = this.#settings;
    const { signal } = this.#request;
    const call = new AiSdkCall({ world, signal, ...this.#patience() });
    const attempt = { call, parts: new AiSdkParts() };
    this.#attempt = attempt;
    try {
      const { model, options } = await load();
      await call.open(model, options(this.#request));
    } catch (error) {
      return this.#broke(attempt, error);
    }
    if (call.cut) this.#endCut(call.cut);
  }

  async #over(attempt: Attempt, outcome: AiSdkOutcome): Promise<void> {
    if (attempt.call.cut) return this.#endCut(attempt.call.cut);
    // Closed by `return` while the read was pending.
    if (this.#ended) return;
    if (outcome.kind === 'stopped') return this.#close(true);
    const { provider } = this.#settings.failures;
    return this.#fail(
      attempt,
      outcome.kind === 'failed'
        ? this.#failureOf(outcome.error)
        : { code: 'stream_cut', message: `${provider} ended the answer early`, retryable: true },
    );
  }

  async #broke(attempt: Attempt, error: unknown): Promise<void> {
    if (attempt.call.cut) return this.#endCut(attempt.call.cut);
    if (!this.#ended) await this.#fail(attempt, this.#failureOf(error));
  }

  async #fail({ parts }: Attempt, failure: AiSdkFailure): Promise<void> {
    const { world, retries = AI_SDK_RETRIES, onRetry } = this.#settings;
    const { code, message, retryable, retryAfter } = failure;
    this.#close(false);
    this.#failed += 1;
    const wait = retryable && !parts.hasOutput ? this.#backoff(retries, retryAfter) : null;
    if (wait === null) {
      const again = retryable && parts.hasOutput && { retryable };
      const said = message + aiSdkTooLong(retries, retryAfter);
      this.#events.push({ type: 'stream_error', at: world.now(), code, message: said, ...again });
      return;
    }
    this.#ended = false;
    onRetry(code);
    await world.sleep(wait, this.#request.signal).catch(() => {});
  }

  #backoff(retries: AiSdkRetries, retryAfter: number | undefined): number | null {
    return aiSdkBackoff(retries, {
      failed: this.#failed,
      retryAfter,
      random: this.#settings.world.random(),
    });
  }

  #endCut(cut: NonNullable<AiSdkCall['cut']>): void {
    const { world, failures } = this.#settings;
    const { idleMs, wordlessMs } = this.#patience();
    this.#close(false);
    const at = world.now();
    if (cut === 'aborted') {
      this.#events.push({ type: 'stream_interrupted', at, reason: 'aborted' });
      return;
    }
    const how =
      cut === 'stalled'
        ? `sent nothing for ${idleMs / 1000} s`
        : `sent nothing but keep-alives for ${wordlessMs / 1000} s`;
    const message = `${failures.provider} ${how}`;
    this.#events.push({ type: 'stream_error', at, code: 'model_stalled', message, retryable: true });
  }

  #patience(): { idleMs: number; wordlessMs: number } {
    const { idleMs = IDLE_MS } = this.#settings;
    return { idleMs, wordlessMs: Math.max(idleMs, WORDLESS_MS) };
  }

  #close(finished: boolean): void {
    this.#ended = true;
    this.#attempt?.call.close({ finished });
    this.#attempt = null;
  }

  #failureOf(error: unknown): AiSdkFailure {
    const { failures, world } = this.#settings;
    const files = this.#request.history.some((message) => 'files' in message && message.files?.length);
    return aiSdkFailureOf(error, { ...failures, files, now: world.now() });
  }
}
