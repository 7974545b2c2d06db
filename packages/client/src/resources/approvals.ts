// Approvals and their decisions.

import type { At, BodyOf, Http, QueryOf } from '../http.ts';
import type { WorkspaceOptions } from './chats.ts';

const APPROVALS = '/api/v1/workspaces/{id}/approvals';
const APPROVAL = '/api/v1/workspaces/{id}/approvals/{approval}';

export function approvals(http: Http) {
  return {
    /** Waiting approvals, unless the query says otherwise. */
    list: (
      query: QueryOf<At<typeof APPROVALS, 'get'>> = {},
      { workspace = http.workspace, signal }: WorkspaceOptions = {},
    ) => http.call('get', APPROVALS, { path: { id: workspace }, query, signal }),
    get: (approval: string, { workspace = http.workspace, signal }: WorkspaceOptions = {}) =>
      http.call('get', APPROVAL, { path: { id: workspace, approval }, signal }),
    /** Idempotent for the same decision; another one is refused with `already_decided`. */
    decide: (
      approval: string,
      body: BodyOf<At<typeof APPROVAL, 'post'>>,
      { workspace = http.workspace, signal }: WorkspaceOptions = {},
    ) => http.call('post', APPROVAL, { path: { id: workspace, approval }, body, signal }),
  };
}
