// Threads and what was said in them.

import { once, type At, type BodyOf, type Http, type QueryOf, type Send } from '../http.ts';

export interface SendMessage extends Send {
  /** So that a message is taken in once, whoever sends it again; made by chance if absent. */
  readonly idempotencyKey?: string | undefined;
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
    messages: (id: string, query: QueryOf<At<'/api/threads/{id}/messages', 'get'>> = {}, send: Send = {}) =>
      http.call('get', '/api/threads/{id}/messages', { path: { id }, query, ...send }),
  };
}
