// Threads and what was said in them.

import type { ThreadEvent } from '@continuo/protocol';
import { streamThread } from '../events.ts';
import { jsonOf, once, type At, type BodyOf, type Http, type QueryOf, type Send } from '../http.ts';
import type { StreamOptions } from '../stream.ts';

export interface SendMessage extends Send {
  /** So that a message is taken in once, whoever sends it again; made by chance if absent. */
  readonly idempotencyKey?: string | undefined;
}

export interface EventsQuery {
  readonly after?: number | string | undefined;
  readonly before?: number | string | undefined;
  readonly limit?: number | undefined;
}

/** In the order of the log; `next` goes on in the direction that was asked for. */
export interface ThreadEvents {
  readonly items: readonly ThreadEvent[];
  readonly next: string | null;
}

export function threads(http: Http) {
  return {
    create: (body: BodyOf<At<'/api/threads', 'post'>> = {}, send: Send = {}) =>
      http.call('post', '/api/threads', { body, ...send }),
    list: (query: QueryOf<At<'/api/threads', 'get'>> = {}, send: Send = {}) =>
      http.call('get', '/api/threads', { query, ...send }),
    get: (id: string, send: Send = {}) => http.call('get', '/api/threads/{id}', { path: { id }, ...send }),
    /** A run answers it; a connection that breaks meanwhile makes no second message. */
    send: (id: string, body: BodyOf<At<'/api/threads/{id}/messages', 'post'>>, send: SendMessage = {}) =>
      once(send, (headers) =>
        http.call('post', '/api/threads/{id}/messages', { path: { id }, body, headers, signal: send.signal }),
      ),
    /** The events of all its runs, from `after` on (`latest`: from now on), whatever happens to the connection; it has no end. */
    stream: (id: string, options: StreamOptions = {}) => streamThread(http, id, options),
    /** A page of its events: those after `after`, or the last ones before `before` (`latest`: the end of the log). */
    events: async (id: string, query: EventsQuery = {}, { signal }: Send = {}): Promise<ThreadEvents> => {
      const path = '/api/threads/{id}/events';
      return jsonOf(
        await http.raw('get', path, { path: { id }, query: { format: 'json', ...query }, signal }),
      );
    },
    messages: (id: string, query: QueryOf<At<'/api/threads/{id}/messages', 'get'>> = {}, send: Send = {}) =>
      http.call('get', '/api/threads/{id}/messages', { path: { id }, query, ...send }),
  };
}
