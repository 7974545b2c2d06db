// One driver's stream, for one `receive`. Owns the iterator and how it ends.
//
// Invariants:
// 1. `next` never throws: what goes wrong in the driver becomes a `stream_error`.
// 2. The stream ends with exactly one of `message_stop`, `stream_error` and
//    `stream_interrupted`. The driver's first is the end, and nothing is read after it;
//    a driver that fails or stops without one gets a `stream_error`.
// 3. A synthesized event takes the time of the last event seen, or 0 if there was none: there
//    is no clock here.
// 4. `close` lets a driver that has not finished clean up. A failure there is ignored,
//    because the outcome has been reported by then.

import type { Driver } from '../Driver.ts';
import type { StreamEvent } from '../events.ts';

export class DriverStream<Message> {
  readonly #open: () => AsyncIterator<StreamEvent>;
  #iterator: AsyncIterator<StreamEvent> | null = null;
  #lastAt: number | null = null;
  #ended = false;

  constructor(driver: Driver<Message>, message: Message) {
    this.#open = () => driver(message)[Symbol.asyncIterator]();
  }

  get ended(): boolean {
    return this.#ended;
  }

  async next(): Promise<StreamEvent> {
    let result: IteratorResult<StreamEvent>;
    try {
      this.#iterator ??= this.#open();
      result = await this.#iterator.next();
    } catch (error) {
      this.#iterator = null;
      return this.#fail({ code: 'driver_failed', message: messageOf(error) });
    }
    if (result.done === true) {
      this.#iterator = null;
      return this.#fail(this.#lastAt === null ? streamEmpty : streamCut);
    }
    return this.#take(result.value);
  }

  async close(): Promise<void> {
    const iterator = this.#iterator;
    this.#iterator = null;
    try {
      await iterator?.return?.();
    } catch {
      // See invariant 4.
    }
  }

  #take(event: StreamEvent): StreamEvent {
    // Only an untyped driver can do this; without the check it would reject `receive`.
    if (typeof event !== 'object' || event === null) return this.#fail(notAnEvent);
    this.#lastAt = event.at;
    this.#ended = endsStream(event);
    return event;
  }

  #fail(failure: Failure): StreamEvent {
    this.#ended = true;
    return { type: 'stream_error', at: this.#lastAt ?? 0, ...failure };
  }
}

interface Failure {
  readonly code: string;
  readonly message: string;
}

const streamCut = { code: 'stream_cut', message: 'The stream stopped before the message was complete.' };
const streamEmpty = { code: 'stream_empty', message: 'The driver gave no event at all.' };
const notAnEvent = { code: 'driver_failed', message: 'The driver yielded something that is not an event.' };

function endsStream(event: StreamEvent): boolean {
  return (
    event.type === 'message_stop' || event.type === 'stream_error' || event.type === 'stream_interrupted'
  );
}

function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === 'string' ? error : 'The driver threw something that is not an error.';
}
