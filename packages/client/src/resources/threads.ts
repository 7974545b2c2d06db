// Threads and their messages.

import type { ThreadEvent } from '@continuo/protocol';
import { streamThread } from '../events.ts';
import {
  jsonOf,
  withIdempotencyKey,
  type At,
  type BodyOf,
  type Http,
  type QueryOf,
  type RequestOptions,
} from '../http.ts';
import type { StreamOptions } from '../stream.ts';

export interface SendMessage extends RequestOptions {
  /** Makes a resent message count once; random if absent. */
  readonly idempotencyKey?: string | undefined;
}

export interface EventsQuery {
  readonly after?: number | string | undefined;
  readonly before?: number | string | undefined;
  readonly limit?: number | undefined;
}

/** In the order of the log; `next` continues in the requested direction. */
export interface ThreadEvents {
  readonly items: readonly ThreadEvent[];
  readonly next: string | null;
}

export function threads(http: Http) {
  return {
    create: (body: BodyOf<At<'/api/threads', 'post'>> = {}, send: RequestOptions = {}) =>
      http.call('post', '/api/threads', { body, ...send }),
    list: (query: QueryOf<At<'/api/threads', 'get'>> = {}, send: RequestOptions = {}) =>
      http.call('get', '/api/threads', { query, ...send }),
    get: (id: string, send: RequestOptions = {}) =>
      http.call('get', '/api/threads/{id}', { path: { id }, ...send }),
    /** Sends a message, which starts a run. Idempotent: a broken connection makes no second message. */
    send: (id: string, body: BodyOf<At<'/api/threads/{id}/messages', 'post'>>, send: SendMessage = {}) =>
      withIdempotencyKey(send, (headers) =>
        http.call('post', '/api/threads/{id}/messages', { path: { id }, body, headers, signal: send.signal }),
      ),
    /**
     * The events of all runs of the thread after `after` (`latest`: from now on); reconnects as needed, and does not
     * end.
     */
    stream: (id: string, options: StreamOptions = {}) => streamThread(http, id, options),
    /** A page of events: those after `after`, or the last ones before `before` (`latest`: the end of the log). */
    events: async (
      id: string,
      query: EventsQuery = {},
      { signal }: RequestOptions = {},
    ): Promise<ThreadEvents> => {
      const path = '/api/threads/{id}/events';
      return jsonOf(
        await http.raw('get', path, { path: { id }, query: { format: 'json', ...query }, signal }),
      );
    },
    messages: (
      id: string,
      query: QueryOf<At<'/api/threads/{id}/messages', 'get'>> = {},
      send: RequestOptions = {},
    ) => http.call('get', '/api/threads/{id}/messages', { path: { id }, query, ...send }),
    /** The requests of the thread to models, with those that belong to no run. */
    requests: (
      id: string,
      query: QueryOf<At<'/api/threads/{id}/requests', 'get'>> = {},
      send: RequestOptions = {},
    ) => http.call('get', '/api/threads/{id}/requests', { path: { id }, query, ...send }),
    /** What the thread sent to a model: one of its requests, rebuilt exactly. */
    context: (
      id: string,
      query: QueryOf<At<'/api/threads/{id}/context', 'get'>>,
      send: RequestOptions = {},
    ) => http.call('get', '/api/threads/{id}/context', { path: { id }, query, ...send }),
  };
}
