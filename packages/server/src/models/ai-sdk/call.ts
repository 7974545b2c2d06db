// One call to a provider. It is opened and read part by part. It ends when the provider finishes, when it is aborted,
// when the provider goes silent, or when the provider sends only keep-alives for too long.
//
// 1. An abort or a stall ends a pending read at once: canceling a reader resolves its reads, whatever the connection does.
// 2. Silence is the time spent waiting for the provider without a byte; a slow reader on our side is not silence.
// 3. An ended call leaves no timer, listener or connection behind; after a normal finish, within a second.

import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { aiSdkOnActivity } from './activity.ts';
import { aiSdkDrainResponse } from './drain-response.ts';

export interface AiSdkWorld {
  now(): number;
  /** Waits; an abort ends the wait early, by resolving or by rejecting. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

type Cut = 'aborted' | 'stalled' | 'wordless';

/** The abort reason. Nothing reads it, but without one an abort creates an error with a stack trace. */
const OVER = 'the call has ended';

interface AiSdkCallSettings {
  readonly world: AiSdkWorld;
  readonly signal: AbortSignal;
  /** How long the provider may be silent, and how long it may send only keep-alives. */
  readonly idleMs: number;
  readonly wordlessMs: number;
}

export class AiSdkCall {
  /** Why we ended the call; null if we did not. */
  cut: Cut | null = null;
  readonly #settings: AiSdkCallSettings;
  readonly #http = new AbortController();
  readonly #done = new AbortController();
  readonly #abort = () => this.#end('aborted');
  #reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | null = null;
  #waitingSince: number | null = null;
  /** When the last bytes arrived, keep-alives included. */
  #activeAt = 0;
  /** Since when the provider has sent no content; null before the first wait. */
  #wordlessSince: number | null = null;
  #released: (() => void) | null = null;

  constructor(settings: AiSdkCallSettings) {
    this.#settings = settings;
    settings.signal.addEventListener('abort', this.#abort);
    aiSdkOnActivity(this.#http.signal, () => (this.#activeAt = settings.world.now()));
    if (settings.signal.aborted) this.#end('aborted');
  }

  /** Rejects with the AI SDK's error; check `cut` first. */
  async open(model: LanguageModelV4, options: LanguageModelV4CallOptions): Promise<void> {
    if (this.#done.signal.aborted) return;
    this.#wait();
    void this.#watch();
    const opening = model.doStream({ ...options, abortSignal: this.#http.signal });
    const released = new Promise<null>((resolve) => (this.#released = () => resolve(null)));
    const opened = await Promise.race([opening, released]);
    this.#released = null;
    this.#waitingSince = null;
    if (opened) {
      this.#reader = opened.stream.getReader();
      if (this.cut) drop(this.#reader);
    } else {
      opening.then(({ stream }) => stream.cancel()).then(ignore, ignore);
    }
  }

  /** The next part; also `done` after a cut. */
  read(): Promise<{ done: boolean; value?: LanguageModelV4StreamPart | undefined }> {
    if (!this.#reader || this.cut) return Promise.resolve({ done: true });
    this.#wait();
    return this.#reader.read();
  }

  /** Call after each `read`: ends the wait. `said` tells whether the part had content. */
  arrived({ said }: { said: boolean }): void {
    this.#waitingSince = null;
    if (said) this.#wordlessSince = null;
  }

  /** Ends the call. If the provider has not finished, the request is aborted. */
  close({ finished }: { finished: boolean }): void {
    this.#settings.signal.removeEventListener('abort', this.#abort);
    this.#done.abort(OVER);
    if (this.cut) return;
    if (finished) return void (this.#reader && aiSdkDrainResponse(this.#reader));
    if (this.#reader) drop(this.#reader);
    this.#http.abort();
  }

  #end(cut: Cut): void {
    if (this.cut || this.#done.signal.aborted) return;
    this.cut = cut;
    if (this.#reader) drop(this.#reader);
    this.#released?.();
    this.#http.abort();
    this.#done.abort(OVER);
  }

  #wait(): void {
    this.#waitingSince = this.#settings.world.now();
    this.#wordlessSince ??= this.#waitingSince;
  }

  async #watch(): Promise<void> {
    const { world, idleMs, wordlessMs } = this.#settings;
    let wait = idleMs;
    while (!this.#done.signal.aborted) {
      await world.sleep(wait, this.#done.signal).catch(ignore);
      if (this.#done.signal.aborted) return;
      wait = idleMs;
      if (this.#waitingSince === null) continue;
      const now = world.now();
      const silent = now - Math.max(this.#waitingSince, this.#activeAt);
      const wordless = now - (this.#wordlessSince ?? now);
      if (silent >= idleMs) return this.#end('stalled');
      if (wordless >= wordlessMs) return this.#end('wordless');
      wait = Math.min(idleMs - silent, wordlessMs - wordless);
    }
  }
}

function drop(reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>): void {
  reader.cancel().catch(ignore);
}

function ignore(): void {}
