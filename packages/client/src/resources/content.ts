// Content: what a workspace can publish, and what it has published.

import type { At, Http, QueryOf } from '../http.ts';
import type { WorkspaceOptions } from './chats.ts';

const CONTENT = '/api/v1/workspaces/{id}/content';
const PIECE = '/api/v1/workspaces/{id}/content/{type}/{slug}';
const READ_KEYS = '/api/v1/workspaces/{id}/read-keys';
const PUBLIC = '/api/v1/content/{id}/{type}';

export function content(http: Http) {
  const at = <T extends object>(names: T, { workspace = http.workspace, signal }: WorkspaceOptions) => ({
    path: { id: workspace, ...names },
    signal,
  });
  return {
    content: {
      types: (where: WorkspaceOptions = {}) => http.call('get', CONTENT, at({}, where)),
      /** The files of a type, with their live versions. */
      pieces: (type: string, where: WorkspaceOptions = {}) =>
        http.call('get', `${CONTENT}/{type}`, at({ type }, where)),
      /** A piece as it would be published, and what is wrong with it. */
      check: (
        type: string,
        slug: string,
        { version, ...where }: WorkspaceOptions & { readonly version?: number | undefined } = {},
      ) =>
        http.call('get', `${PIECE}/check`, {
          ...at({ type, slug }, where),
          query: version === undefined ? {} : { version },
        }),
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
      /** Publishes a version again that was live before; the last one that is not live now if none is named. */
      restore: (
        type: string,
        slug: string,
        { version, ...where }: WorkspaceOptions & { readonly version?: number | undefined } = {},
      ) =>
        http.call('post', `${PIECE}/restore`, {
          ...at({ type, slug }, where),
          body: version === undefined ? {} : { version },
        }),
      /** Which version was live when, newest first. */
      publications: (type: string, slug: string, where: WorkspaceOptions = {}) =>
        http.call('get', `${PIECE}/publications`, at({ type, slug }, where)),
      /** What is published of a type; `fields.<name>` and `fields.<name>[<comparison>]` are conditions. */
      list: (
        type: string,
        query: QueryOf<At<typeof PUBLIC, 'get'>> & Readonly<Record<`fields.${string}`, string>> = {},
        where: WorkspaceOptions = {},
      ) => http.call('get', PUBLIC, { ...at({ type }, where), query }),
      read: (type: string, slug: string, where: WorkspaceOptions = {}) =>
        http.call('get', `${PUBLIC}/{slug}`, at({ type, slug }, where)),
    },
    /** With a read key, a site reads what the workspace has published, and nothing else. */
    readKeys: {
      list: (where: WorkspaceOptions = {}) => http.call('get', READ_KEYS, at({}, where)),
      /** The answer has the key, which is not shown again. */
      create: (name: string, where: WorkspaceOptions = {}) =>
        http.call('post', READ_KEYS, { ...at({}, where), body: { name } }),
      remove: (key: string, where: WorkspaceOptions = {}) =>
        http.call('delete', `${READ_KEYS}/{key}`, at({ key }, where)),
    },
  };
}
