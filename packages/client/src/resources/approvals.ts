// What runs ask people, and the answers.

import type { At, BodyOf, Http, QueryOf } from '../http.ts';
import type { In } from './chats.ts';

const APPROVALS = '/api/v1/workspaces/{id}/approvals';
const APPROVAL = '/api/v1/workspaces/{id}/approvals/{approval}';

export function approvals(http: Http) {
  return {
    /** Those that wait, unless the query says otherwise. */
    list: (
      query: QueryOf<At<typeof APPROVALS, 'get'>> = {},
      { workspace = http.workspace, signal }: In = {},
    ) => http.call('get', APPROVALS, { path: { id: workspace }, query, signal }),
    get: (approval: string, { workspace = http.workspace, signal }: In = {}) =>
      http.call('get', APPROVAL, { path: { id: workspace, approval }, signal }),
    /** The same decision again is fine; another one is refused with `already_decided`. */
    decide: (
      approval: string,
      body: BodyOf<At<typeof APPROVAL, 'post'>>,
      { workspace = http.workspace, signal }: In = {},
    ) => http.call('post', APPROVAL, { path: { id: workspace, approval }, body, signal }),
  };
}
