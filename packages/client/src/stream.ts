// Streams that reconnect. Each connection resumes after the last id, until the last event has arrived. A partial frame
// of a cut connection is discarded, because the next connection sends it whole.

import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { ApiError, ConnectionError, isTemporary } from './errors.ts';
import { backoffMs, wait } from './wait.ts';

/** The state of a stream's connection. */
export type StreamState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open' }
  /** The connection is lost. The next try, the `tries`th since the last event, is in `inMs`. */
  | { readonly kind: 'reconnecting'; readonly tries: number; readonly inMs: number; readonly reason: Error }
  | { readonly kind: 'closed' };

export interface StreamOptions {
  /** The id of the last known event. */
  readonly after?: number | 'latest' | undefined;
  /** Detaches: the iteration ends, the run continues. */
  readonly signal?: AbortSignal | undefined;
  readonly onState?: ((state: StreamState) => void) | undefined;
}

export interface Resumable<T> extends StreamOptions {
  readonly request: (after: string | null, signal: AbortSignal) => Promise<Response>;
  readonly read: (frame: Frame) => T;
  /** Whether this is the last event of the stream. */
  readonly ends: (event: T) => boolean;
  /** Reads the next events as a page. */
  readonly page?: ((after: string, signal: AbortSignal) => Promise<readonly PageItem<T>[]>) | undefined;
}

interface PageItem<T> {
  readonly id: string;
  readonly event: T;
}

export interface Frame {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** The server sends something every 15 s: a connection that was silent three times as long is dead. */
const SILENCE_MS = 45_000;

/**
 * After this many consecutive connections without an event, a page is read first. When a connection breaks, browsers
 * discard received bytes that were not yet delivered, so a slow reader might never get an event of a stream that is
 * always cut.
 */
const EMPTY_CONNECTIONS = 2;

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
  const report = (state: StreamState) => onState?.(state);
  report({ kind: 'connecting' });
  try {
    while (!signal?.aborted) {
      let reason: unknown = new ConnectionError('The server ended the stream before the last event.');
      const connection = connect(signal);
      try {
        const missed =
          tries >= EMPTY_CONNECTIONS && last !== null ? await page?.(last, connection.signal) : [];
        for (const { id, event } of missed ?? []) {
          last = id;
          tries = 0;
          yield event;
          if (signal?.aborted || ends(event)) return;
        }
        const response = await request(last, connection.signal);
        // There is nothing after the last id.
        if (response.status === 204) return;
        // The position of `latest`, so that nothing is missed if the connection breaks before the first event.
        last = response.headers.get('last-event-id') ?? last;
        report({ kind: 'open' });
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
        // Aborted by the silence timer, not by the caller.
        if (!connection.signal.aborted) {
          if (!isTemporary(error)) throw error;
          reason = error;
        }
      } finally {
        connection.close();
      }
      tries += 1;
      await backOff(tries, reason, { signal, onState });
    }
  } finally {
    report({ kind: 'closed' });
  }
}

/** Retries until there is a response, or an error that a retry does not change. */
export async function retryWhileTemporary<T>(
  ask: () => Promise<T>,
  { signal, onState }: Pick<StreamOptions, 'signal' | 'onState'>,
): Promise<T> {
  onState?.({ kind: 'connecting' });
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (signal?.aborted || !isTemporary(error)) throw error;
      await backOff(tries, error, { signal, onState });
    }
  }
}

async function backOff(
  tries: number,
  reason: unknown,
  { signal, onState }: Pick<StreamOptions, 'signal' | 'onState'>,
): Promise<void> {
  const retryAfterMs = reason instanceof ApiError ? (reason.retryAfter ?? 0) * 1000 : 0;
  const inMs = Math.max(retryAfterMs, backoffMs(tries, Math.random()));
  onState?.({ kind: 'reconnecting', tries, inMs, reason: reason as Error });
  await wait(inMs, signal);
}

interface Connection {
  readonly signal: AbortSignal;
  read(response: Response): AsyncGenerator<readonly Frame[], void>;
  close(): void;
}

/** One connection; closing it detaches from the stream. */
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
          throw new ConnectionError('The connection was interrupted.', { cause });
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
