// Commands of agents in the sandbox, and the changes that they propose.

import type { At, Http, QueryOf, RequestOptions } from '../http.ts';

const EXECUTION = '/api/v1/executions/{id}';

export function executions(http: Http) {
  return {
    /** `id` is the run's id, a colon, and the call's id. With `wait`, resolves when there is news. */
    get: (id: string, query: QueryOf<At<typeof EXECUTION, 'get'>> = {}, { signal }: RequestOptions = {}) =>
      http.call('get', EXECUTION, { path: { id }, query, signal }),
    diff: (id: string, path: string, { signal }: RequestOptions = {}) =>
      http.call('get', `${EXECUTION}/diff`, { path: { id }, query: { path }, signal }),
    /** Applies proposed files, all or none. */
    apply: (id: string, paths: string[], { signal }: RequestOptions = {}) =>
      http.call('post', `${EXECUTION}/apply`, { path: { id }, body: { paths }, signal }),
    /** Whether the server can run commands at all. */
    sandbox: ({ signal }: RequestOptions = {}) => http.call('get', '/api/v1/sandbox', { signal }),
  };
}
