// Runs: read, stream, cancel, steer, retry.

import { streamRun, type RunEvent } from '../events.ts';
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
import type { WorkspaceOptions } from './chats.ts';
import type { SendMessage } from './threads.ts';

const RUN = '/api/runs/{id}';
const RUNS = '/api/v1/workspaces/{id}/runs';

export function runs(http: Http) {
  const get = (id: string, send: RequestOptions = {}) => http.call('get', RUN, { path: { id }, ...send });
  return {
    get,
    /** The runs of a workspace, newest first. */
    list: (
      query: QueryOf<At<typeof RUNS, 'get'>> = {},
      { workspace = http.workspace, signal }: WorkspaceOptions = {},
    ) => http.call('get', RUNS, { path: { id: workspace }, query, signal }),
    /** The run's events after `after`; reconnects as needed, and ends after the last event. */
    stream: (id: string, options: StreamOptions = {}) => streamRun(http, id, options),
    /** A page of the run's events. */
    events: async (
      id: string,
      query: { readonly after?: string | number; readonly limit?: number } = {},
      { signal }: RequestOptions = {},
    ): Promise<{ items: (RunEvent & { readonly at: string })[]; next: string | null }> => {
      const path = '/api/runs/{id}/events';
      return jsonOf(
        await http.raw('get', path, { path: { id }, query: { format: 'json', ...query }, signal }),
      );
    },
    /** Waits until the run has ended, and returns it. */
    ended: async (id: string, options: Omit<StreamOptions, 'after'> = {}) => {
      for await (const _event of streamRun(http, id, options));
      return get(id, { signal: options.signal });
    },
    cancel: (id: string, body: BodyOf<At<'/api/runs/{id}/cancel', 'post'>> = {}, send: RequestOptions = {}) =>
      http.call('post', `${RUN}/cancel`, { path: { id }, body, ...send }),
    /** Gives the message of a queued run to the open run. */
    steer: (id: string, send: RequestOptions = {}) =>
      withIdempotencyKey(send, () =>
        http.call('post', `${RUN}/steer`, { path: { id }, signal: send.signal }),
      ),
    /** Repeats the message in a new run. */
    retry: (id: string, send: SendMessage = {}) =>
      withIdempotencyKey(send, (headers) =>
        http.call('post', `${RUN}/retry`, { path: { id }, headers, signal: send.signal }),
      ),
    /** What the run sent to its model: a request, rebuilt exactly. */
    context: (
      id: string,
      query: QueryOf<At<'/api/runs/{id}/context', 'get'>> = {},
      send: RequestOptions = {},
    ) => http.call('get', `${RUN}/context`, { path: { id }, query, ...send }),
    /** Why the run waits, in a sentence. */
    why: (id: string, send: RequestOptions = {}) => http.call('get', `${RUN}/why`, { path: { id }, ...send }),
  };
}
