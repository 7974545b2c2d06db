// One call of a provider: opened, read part by part, and ended by the provider, by an abort, or
// by a provider that has gone silent, or for too long says nothing but that it is there.
//
// 1. An abort and a stall end a pending read at once: cancelling a reader answers its reads,
//    whatever the connection below does.
// 2. Silence is the time spent waiting for the provider without a byte; a slow reader on our side is not silence.
// 3. A call that ended leaves no timer, no listener and no connection behind; one that was finished, within a second.

import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { aiSdkListen } from './heard.ts';
import { aiSdkLinger } from './linger.ts';

export interface AiSdkWorld {
  now(): number;
  /** Waits; an abort ends the wait early, by resolving or by rejecting. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

type Cut = 'aborted' | 'stalled' | 'wordless';

/** Nobody reads it; without one, an abort makes an error with a stack. */
const OVER = 'the call is over';

interface AiSdkCallSettings {
  readonly world: AiSdkWorld;
  readonly signal: AbortSignal;
  /** How long the provider may be silent, and how long it may send nothing but signs of life. */
  readonly idleMs: number;
  readonly wordlessMs: number;
}

export class AiSdkCall {
  /** Why we ended the call, if we did. */
  cut: Cut | null = null;
  readonly #settings: AiSdkCallSettings;
  readonly #http = new AbortController();
  readonly #done = new AbortController();
  readonly #abort = () => this.#end('aborted');
  #reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | null = null;
  #waitingSince: number | null = null;
  /** When bytes came last, whatever they said. */
  #heardAt = 0;
  /** Since when nothing was said; null until more is waited for. */
  #wordlessSince: number | null = null;
  #released: (() => void) | null = null;

  constructor(settings: AiSdkCallSettings) {
    this.#settings = settings;
    settings.signal.addEventListener('abort', this.#abort);
    aiSdkListen(this.#http.signal, () => (this.#heardAt = settings.world.now()));
    if (settings.signal.aborted) this.#end('aborted');
  }

  /** Rejects with what the AI SDK throws; look at `cut` first. */
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

  /** The next part; `done` also after a cut. */
  read(): Promise<{ done: boolean; value?: LanguageModelV4StreamPart | undefined }> {
    if (!this.#reader || this.cut) return Promise.resolve({ done: true });
    this.#wait();
    return this.#reader.read();
  }

  /** To be called with what `read` gave, so that waiting ends; and whether it said something. */
  arrived({ said }: { said: boolean }): void {
    this.#waitingSince = null;
    if (said) this.#wordlessSince = null;
  }

  /** A provider that has not finished is told to. */
  close({ finished }: { finished: boolean }): void {
    this.#settings.signal.removeEventListener('abort', this.#abort);
    this.#done.abort(OVER);
    if (this.cut) return;
    if (finished) return void (this.#reader && aiSdkLinger(this.#reader));
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
      const silent = now - Math.max(this.#waitingSince, this.#heardAt);
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
