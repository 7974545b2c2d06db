// Workspaces and their change feeds.

import { streamChanges } from '../events.ts';
import { streamHints } from '../hints.ts';
import type { AnswerOf, At, BodyOf, Http, QueryOf, RequestOptions } from '../http.ts';
import type { StreamOptions } from '../stream.ts';
import type { WorkspaceOptions } from './chats.ts';

const WORKSPACE = '/api/v1/workspaces/{id}';

export function workspaces(http: Http) {
  return {
    create: (body: BodyOf<At<'/api/v1/workspaces', 'post'>>, send: RequestOptions = {}) =>
      http.call('post', '/api/v1/workspaces', { body, ...send }),
    list: (query: QueryOf<At<'/api/v1/workspaces', 'get'>> = {}, send: RequestOptions = {}) =>
      http.call('get', '/api/v1/workspaces', { query, ...send }),
    get: ({ workspace = http.workspace, signal }: WorkspaceOptions = {}) =>
      http.call('get', WORKSPACE, { path: { id: workspace }, signal }),
    rename: (name: string, { workspace = http.workspace, signal }: WorkspaceOptions = {}) =>
      http.call('patch', WORKSPACE, { path: { id: workspace }, body: { name }, signal }),
    remove: ({ workspace, signal }: WorkspaceOptions & { readonly workspace: string }) =>
      http.call('delete', WORKSPACE, { path: { id: workspace }, signal }),
    /** Restores a removed workspace, by its name or id. */
    restore: async ({ workspace, signal }: WorkspaceOptions & { readonly workspace: string }) =>
      (await http.call('post', `${WORKSPACE}/restore`, {
        path: { id: workspace },
        body: {},
        signal,
      })) as AnswerOf<At<typeof WORKSPACE, 'get'>>,
    /** Restores the files that disappeared from the folder on disk at once (`held_removals`). */
    restoreFolder: ({ workspace = http.workspace, signal }: WorkspaceOptions = {}) =>
      http.call('post', `${WORKSPACE}/folder/restore`, { path: { id: workspace }, signal }),
    /** Removes the files that disappeared from the workspace, too. */
    acceptRemovals: ({ workspace = http.workspace, signal }: WorkspaceOptions = {}) =>
      http.call('post', `${WORKSPACE}/folder/accept-removals`, { path: { id: workspace }, signal }),
    /** The change feed after `after` (`latest`: from now on); does not end. */
    stream: ({ workspace = http.workspace, ...options }: StreamOptions & WorkspaceOptions = {}) =>
      streamChanges(http, workspace, options),
    /** What has changed, as it happens. After each `open`, read everything again once. Does not end. */
    hints: ({
      workspace = http.workspace,
      ...options
    }: Omit<StreamOptions, 'after'> & WorkspaceOptions = {}) => streamHints(http, workspace, options),
    /** A page of the change feed. */
    changes: (
      query: QueryOf<At<'/api/v1/workspaces/{id}/changes', 'get'>> = {},
      { workspace = http.workspace, signal }: WorkspaceOptions = {},
    ) => http.call('get', `${WORKSPACE}/changes`, { path: { id: workspace }, query, signal }),
  };
}
