// Runs: followed, read, ended, repeated.

import { streamRun, type RunEvent } from '../events.ts';
import { jsonOf, once, type At, type BodyOf, type Http, type QueryOf, type Send } from '../http.ts';
import type { StreamOptions } from '../stream.ts';
import type { In } from './chats.ts';
import type { SendMessage } from './threads.ts';

const RUN = '/api/runs/{id}';
const RUNS = '/api/v1/workspaces/{id}/runs';

export function runs(http: Http) {
  const get = (id: string, send: Send = {}) => http.call('get', RUN, { path: { id }, ...send });
  return {
    get,
    /** Of a workspace, newest first. */
    list: (query: QueryOf<At<typeof RUNS, 'get'>> = {}, { workspace = http.workspace, signal }: In = {}) =>
      http.call('get', RUNS, { path: { id: workspace }, query, signal }),
    /** Its events, from `after` on, whatever happens to the connection; ends after the last one. */
    stream: (id: string, options: StreamOptions = {}) => streamRun(http, id, options),
    /** A page of its events. */
    events: async (
      id: string,
      query: { readonly after?: string | number; readonly limit?: number } = {},
      { signal }: Send = {},
    ): Promise<{ items: (RunEvent & { readonly at: string })[]; next: string | null }> => {
      const path = '/api/runs/{id}/events';
      return jsonOf(
        await http.raw('get', path, { path: { id }, query: { format: 'json', ...query }, signal }),
      );
    },
    /** The run as it is when it has ended. */
    ended: async (id: string, options: Omit<StreamOptions, 'after'> = {}) => {
      for await (const _event of streamRun(http, id, options));
      return get(id, { signal: options.signal });
    },
    cancel: (id: string, body: BodyOf<At<'/api/runs/{id}/cancel', 'post'>> = {}, send: Send = {}) =>
      http.call('post', `${RUN}/cancel`, { path: { id }, body, ...send }),
    /** The message of a queued run goes to the run that is at work. */
    steer: (id: string, send: Send = {}) =>
      once(send, () => http.call('post', `${RUN}/steer`, { path: { id }, signal: send.signal })),
    /** The same message again, by a new run. */
    retry: (id: string, send: SendMessage = {}) =>
      once(send, (headers) =>
        http.call('post', `${RUN}/retry`, { path: { id }, headers, signal: send.signal }),
      ),
    /** What it waits for, in a sentence. */
    why: (id: string, send: Send = {}) => http.call('get', `${RUN}/why`, { path: { id }, ...send }),
  };
}
