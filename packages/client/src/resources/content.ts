// Content: what a workspace can publish, and what it has published.

import type { At, Http, QueryOf } from '../http.ts';
import type { WorkspaceOptions } from './chats.ts';

const CONTENT = '/api/v1/workspaces/{id}/content';
const PIECE = '/api/v1/workspaces/{id}/content/{type}/{slug}';
const PUBLIC = '/api/v1/content/{id}/{type}';

export function content(http: Http) {
  const at = <T extends object>(names: T, { workspace = http.workspace, signal }: WorkspaceOptions) => ({
    path: { id: workspace, ...names },
    signal,
  });
  return {
    content: {
      types: (where: WorkspaceOptions = {}) => http.call('get', CONTENT, at({}, where)),
      /** The files of a type, with what is live of each. */
      pieces: (type: string, where: WorkspaceOptions = {}) =>
        http.call('get', `${CONTENT}/{type}`, at({ type }, where)),
      /** A piece as it would be published, and what is wrong with it. */
      check: (type: string, slug: string, where: WorkspaceOptions = {}) =>
        http.call('get', `${PIECE}/check`, at({ type, slug }, where)),
      /** Publishes a version; the newest one if none is named. */
      publish: (
        type: string,
        slug: string,
        { version, ...where }: WorkspaceOptions & { readonly version?: number } = {},
      ) =>
        http.call('post', `${PIECE}/publish`, {
          ...at({ type, slug }, where),
          body: version === undefined ? {} : { version },
        }),
      unpublish: (type: string, slug: string, where: WorkspaceOptions = {}) =>
        http.call('post', `${PIECE}/unpublish`, at({ type, slug }, where)),
      /** Publishes a version at a time; the newest one as it is now if none is named. */
      schedule: (
        type: string,
        slug: string,
        {
          at: time,
          version,
          ...where
        }: WorkspaceOptions & { readonly at: string; readonly version?: number | undefined },
      ) =>
        http.call('post', `${PIECE}/schedule`, {
          ...at({ type, slug }, where),
          body: { at: time, ...(version !== undefined && { version }) },
        }),
      cancelSchedule: (type: string, slug: string, where: WorkspaceOptions = {}) =>
        http.call('delete', `${PIECE}/schedule`, at({ type, slug }, where)),
      /** What is published of a type. */
      list: (type: string, query: QueryOf<At<typeof PUBLIC, 'get'>> = {}, where: WorkspaceOptions = {}) =>
        http.call('get', PUBLIC, { ...at({ type }, where), query }),
      read: (type: string, slug: string, where: WorkspaceOptions = {}) =>
        http.call('get', `${PUBLIC}/{slug}`, at({ type, slug }, where)),
    },
  };
}
