// Workspaces, and what happens to their files.

import { streamChanges } from '../events.ts';
import { streamHints } from '../hints.ts';
import type { At, BodyOf, Http, QueryOf, Send } from '../http.ts';
import type { StreamOptions } from '../stream.ts';
import type { In } from './chats.ts';

const WORKSPACE = '/api/v1/workspaces/{id}';

export function workspaces(http: Http) {
  return {
    create: (body: BodyOf<At<'/api/v1/workspaces', 'post'>>, send: Send = {}) =>
      http.call('post', '/api/v1/workspaces', { body, ...send }),
    list: (query: QueryOf<At<'/api/v1/workspaces', 'get'>> = {}, send: Send = {}) =>
      http.call('get', '/api/v1/workspaces', { query, ...send }),
    get: ({ workspace = http.workspace, signal }: In = {}) =>
      http.call('get', WORKSPACE, { path: { id: workspace }, signal }),
    rename: (name: string, { workspace = http.workspace, signal }: In = {}) =>
      http.call('patch', WORKSPACE, { path: { id: workspace }, body: { name }, signal }),
    remove: ({ workspace, signal }: In & { readonly workspace: string }) =>
      http.call('delete', WORKSPACE, { path: { id: workspace }, signal }),
    /** Puts back files that disappeared from the folder on disk at once (`held_removals`). */
    restoreFolder: ({ workspace = http.workspace, signal }: In = {}) =>
      http.call('post', `${WORKSPACE}/folder/restore`, { path: { id: workspace }, signal }),
    /** Removes them from the workspace, too. */
    acceptRemovals: ({ workspace = http.workspace, signal }: In = {}) =>
      http.call('post', `${WORKSPACE}/folder/accept-removals`, { path: { id: workspace }, signal }),
    /** What happens to its files, from `after` on (`latest`: from now on); it has no end. */
    stream: ({ workspace = http.workspace, ...options }: StreamOptions & In = {}) =>
      streamChanges(http, workspace, options),
    /** Which chats have changed, as it happens; after each `open`, look at everything once. It has no end. */
    hints: ({ workspace = http.workspace, ...options }: Omit<StreamOptions, 'after'> & In = {}) =>
      streamHints(http, workspace, options),
    /** A page of what happened to its files. */
    changes: (
      query: QueryOf<At<'/api/v1/workspaces/{id}/changes', 'get'>> = {},
      { workspace = http.workspace, signal }: In = {},
    ) => http.call('get', `${WORKSPACE}/changes`, { path: { id: workspace }, query, signal }),
  };
}
