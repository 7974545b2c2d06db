// Sends the events of one answer to the server, in numbered batches. While a batch is in flight, events are collected for the
// next one. A batch whose response was lost is sent again: the server stores it once.

import { ApiError, isTemporary } from '../errors.ts';
import { backoffMs, wait } from '../wait.ts';
import type { ExecutorEvent } from './events.ts';

/** The most events and characters of JSON of one batch, unless one event has more. */
const BATCH_EVENTS = 1000;
const BATCH_CHARACTERS = 200_000;
/** An answer waits while so many characters of JSON are to be sent. */
const WAITING_CHARACTERS = 400_000;

interface Waiting {
  readonly event: ExecutorEvent;
  readonly characters: number;
}

export class Outbox {
  readonly #post: (seq: number, events: readonly ExecutorEvent[]) => Promise<void>;
  readonly #signal: AbortSignal;
  readonly #refused: (error: unknown) => void;
  #waiting: Waiting[] = [];
  #seq = 0;
  #sending: Promise<void> | null = null;

  /** `post` sends one batch. `refused` is told why nothing more can be sent. */
  constructor(
    post: (seq: number, events: readonly ExecutorEvent[]) => Promise<void>,
    signal: AbortSignal,
    refused: (error: unknown) => void,
  ) {
    this.#post = post;
    this.#signal = signal;
    this.#refused = refused;
  }

  add(event: ExecutorEvent): void {
    this.#waiting.push({ event, characters: JSON.stringify(event).length });
    this.#sending ??= this.#sendAll().finally(() => (this.#sending = null));
  }

  /** Resolves when there is room for more. */
  async room(): Promise<void> {
    const characters = this.#waiting.reduce((sum, each) => sum + each.characters, 0);
    if (characters > WAITING_CHARACTERS) await this.#sending;
  }

  /** Resolves when everything was stored, or nothing more can be. */
  async flushed(): Promise<void> {
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    // What the answer yields in the same moment goes into the same batch.
    await Promise.resolve();
    while (this.#waiting.length > 0 && !this.#signal.aborted) {
      this.#seq += 1;
      await this.#send(this.#take());
    }
    this.#waiting = [];
  }

  #take(): readonly ExecutorEvent[] {
    let count = 0;
    for (let characters = 0; count < Math.min(BATCH_EVENTS, this.#waiting.length); count += 1) {
      characters += this.#waiting[count]!.characters;
      if (count > 0 && characters > BATCH_CHARACTERS) break;
    }
    return this.#waiting.splice(0, count).map(({ event }) => event);
  }

  async #send(events: readonly ExecutorEvent[]): Promise<void> {
    for (let failures = 0; !this.#signal.aborted;) {
      try {
        return await this.#post(this.#seq, events);
      } catch (error) {
        if (this.#signal.aborted) return;
        if (isMalformed(error)) return this.#fail(error);
        if (!isTemporary(error)) return this.#refused(error);
        failures += 1;
        await wait(backoffMs(failures, Math.random()), this.#signal);
      }
    }
  }

  /** The server did not take the batch for what is in it: the answer fails in its place. */
  async #fail(error: ApiError): Promise<void> {
    this.#waiting = [];
    const fail: ExecutorEvent = { type: 'fail', code: 'invalid_event', error: error.message.slice(0, 4000) };
    await this.#post(this.#seq, [fail]).catch(() => undefined);
    this.#refused(error);
  }
}

function isMalformed(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 400 || error.status === 413);
}
