// Streams that survive. One connection after the other, each from the last id on, until the last event has come; what a
// cut connection left of a frame is thrown away, because the next one sends the frame whole.

import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { ApiError, ConnectionError, isTemporary } from './errors.ts';
import { backoffMs, wait } from './wait.ts';

/** What a stream is doing, for people. */
export type StreamState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open' }
  /** The connection is gone; the next try, the `tries`th since the last event, is made `inMs` from now. */
  | { readonly kind: 'reconnecting'; readonly tries: number; readonly inMs: number; readonly reason: Error }
  | { readonly kind: 'closed' };

export interface StreamOptions {
  /** The id of the last event that is known already. */
  readonly after?: number | 'latest' | undefined;
  /** Detaches: the iteration ends. What is followed goes on. */
  readonly signal?: AbortSignal | undefined;
  readonly onState?: ((state: StreamState) => void) | undefined;
}

export interface Resumable<T> extends StreamOptions {
  readonly request: (after: string | null, signal: AbortSignal) => Promise<Response>;
  readonly read: (frame: Frame) => T;
  /** Whether it is the last event of all. */
  readonly ends: (event: T) => boolean;
  /** The next events as a page. */
  readonly page?: ((after: string, signal: AbortSignal) => Promise<readonly Told<T>[]>) | undefined;
}

interface Told<T> {
  readonly id: string;
  readonly event: T;
}

export interface Frame {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** The server says something every 15 s: a connection that was silent three times as long is dead. */
const SILENCE_MS = 45_000;

/**
 * After so many connections in a row without an event, a page is asked for first: when a connection breaks, browsers throw away what
 * they had received and not handed over, so that whoever is slow might never see an event of a stream that is always cut.
 */
const FRUITLESS = 2;

export async function* follow<T>({
  request,
  read,
  ends,
  page,
  after,
  signal,
  onState,
}: Resumable<T>): AsyncGenerator<T, void> {
  let last = after === undefined ? null : String(after);
  let tries = 0;
  const say = (state: StreamState) => onState?.(state);
  say({ kind: 'connecting' });
  try {
    while (!signal?.aborted) {
      let reason: unknown = new ConnectionError('The server ended the stream before the last event.');
      const connection = connect(signal);
      try {
        const missed = tries >= FRUITLESS && last !== null ? await page?.(last, connection.signal) : [];
        for (const { id, event } of missed ?? []) {
          last = id;
          tries = 0;
          yield event;
          if (signal?.aborted || ends(event)) return;
        }
        const response = await request(last, connection.signal);
        // Nothing comes after the last id.
        if (response.status === 204) return;
        // Where `latest` was, so that nothing is missed if the connection breaks before the first event.
        last = response.headers.get('last-event-id') ?? last;
        say({ kind: 'open' });
        for await (const frames of connection.read(response)) {
          for (const frame of frames) {
            const event = read(frame);
            last = frame.id;
            tries = 0;
            yield event;
            if (signal?.aborted || ends(event)) return;
          }
        }
      } catch (error) {
        if (signal?.aborted) return;
        // It is aborted from in here only when the server was silent for too long.
        if (!connection.signal.aborted) {
          if (!isTemporary(error)) throw error;
          reason = error;
        }
      } finally {
        connection.close();
      }
      tries += 1;
      await rest(tries, reason, { signal, onState });
    }
  } finally {
    say({ kind: 'closed' });
  }
}

/** Asks until there is an answer, or a refusal that asking again does not change. */
export async function patiently<T>(
  ask: () => Promise<T>,
  { signal, onState }: Pick<StreamOptions, 'signal' | 'onState'>,
): Promise<T> {
  onState?.({ kind: 'connecting' });
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (signal?.aborted || !isTemporary(error)) throw error;
      await rest(tries, error, { signal, onState });
    }
  }
}

async function rest(
  tries: number,
  reason: unknown,
  { signal, onState }: Pick<StreamOptions, 'signal' | 'onState'>,
): Promise<void> {
  const asked = reason instanceof ApiError ? (reason.retryAfter ?? 0) * 1000 : 0;
  const inMs = Math.max(asked, backoffMs(tries, Math.random()));
  onState?.({ kind: 'reconnecting', tries, inMs, reason: reason as Error });
  await wait(inMs, signal);
}

interface Connection {
  readonly signal: AbortSignal;
  read(response: Response): AsyncGenerator<readonly Frame[], void>;
  close(): void;
}

/** One connection; closing it is all that leaving a stream means. */
function connect(outer: AbortSignal | undefined): Connection {
  const controller = new AbortController();
  const abort = () => controller.abort();
  outer?.addEventListener('abort', abort);
  let silence = setTimeout(abort, SILENCE_MS);
  return {
    signal: controller.signal,
    close: () => {
      clearTimeout(silence);
      outer?.removeEventListener('abort', abort);
      abort();
    },
    read: async function* ({ body }) {
      if (!body) return;
      const reader = body.getReader();
      const decoder = new TextDecoder();
      let frames: Frame[] = [];
      const parser = createParser({ onEvent: (message) => frames.push(frameOf(message)) });
      for (;;) {
        const { done, value } = await reader.read().catch((cause: unknown) => {
          throw new ConnectionError('The connection broke off.', { cause });
        });
        if (done) return;
        clearTimeout(silence);
        silence = setTimeout(abort, SILENCE_MS);
        parser.feed(decoder.decode(value, { stream: true }));
        if (frames.length > 0) yield frames;
        frames = [];
      }
    },
  };
}

function frameOf({ id = '', event = 'message', data }: EventSourceMessage): Frame {
  return { id, event, data };
}
