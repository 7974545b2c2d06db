// The files of a workspace and their versions.

import { address } from '../address.ts';
import {
  throwInterrupted,
  jsonOf,
  type AnswerOf,
  type At,
  type BodyOf,
  type Http,
  type QueryOf,
} from '../http.ts';
import type { WorkspaceOptions } from './chats.ts';

const WORKSPACE = '/api/v1/workspaces/{id}';
const FILE = `${WORKSPACE}/files/{path}` as const;
const ARCHIVE = `${WORKSPACE}/archive` as const;
type Workspace = typeof WORKSPACE;
type Written = AnswerOf<At<typeof FILE, 'put'>>;

/** The content of a file at one version. */
export interface Content {
  readonly version: number;
  readonly type: string;
  readonly response: Response;
  text(): Promise<string>;
}

export interface Write extends WorkspaceOptions {
  /** Write only over this version; `null`: only if the file does not exist. */
  readonly base?: number | null | undefined;
  /** `merge`: merge with the changes since `base`. */
  readonly onConflict?: 'merge' | 'refuse' | undefined;
}

export function files(http: Http) {
  const at = ({ workspace = http.workspace, signal }: WorkspaceOptions) => ({
    path: { id: workspace },
    signal,
  });
  return {
    /** The URL of the file for a browser. */
    url: (path: string, { workspace = http.workspace }: WorkspaceOptions = {}) =>
      http.base + address(FILE, { id: workspace, path }),
    read: async (
      path: string,
      {
        workspace = http.workspace,
        version,
        signal,
      }: WorkspaceOptions & { readonly version?: number | undefined } = {},
    ): Promise<Content> => {
      const response = await http.raw('get', FILE, {
        path: { id: workspace, path },
        query: { version },
        signal,
      });
      return {
        version: Number(response.headers.get('etag')?.replaceAll('"', '')),
        type: response.headers.get('content-type') ?? 'application/octet-stream',
        response,
        text: () => response.text().catch(throwInterrupted),
      };
    },
    write: async (
      path: string,
      content: BodyInit,
      { workspace = http.workspace, base, onConflict, signal }: Write = {},
    ): Promise<Written> => {
      const response = await http.raw('put', FILE, {
        path: { id: workspace, path },
        body: content,
        signal,
        query: { on_conflict: onConflict },
        headers: { 'content-type': 'application/octet-stream', ...precondition(base) },
      });
      return jsonOf(response);
    },
    remove: async (
      path: string,
      { workspace = http.workspace, base, signal }: Omit<Write, 'onConflict'> = {},
    ): Promise<Written> => {
      const response = await http.raw('delete', FILE, {
        path: { id: workspace, path },
        signal,
        headers: precondition(base),
      });
      return jsonOf(response);
    },
    tree: (query: QueryOf<At<`${Workspace}/tree`, 'get'>> = {}, where: WorkspaceOptions = {}) =>
      http.call('get', `${WORKSPACE}/tree`, { ...at(where), query }),
    search: (query: QueryOf<At<`${Workspace}/search`, 'get'>>, where: WorkspaceOptions = {}) =>
      http.call('get', `${WORKSPACE}/search`, { ...at(where), query }),
    move: (body: BodyOf<At<`${Workspace}/moves`, 'post'>>, where: WorkspaceOptions = {}) =>
      http.call('post', `${WORKSPACE}/moves`, { ...at(where), body }),
    /** Removes a folder with everything in it. */
    removeFolder: (path: string, where: WorkspaceOptions = {}) =>
      http.call('delete', `${WORKSPACE}/tree`, { ...at(where), query: { path } }),
    /** Removed files, the latest first. */
    trash: (query: QueryOf<At<`${Workspace}/trash`, 'get'>> = {}, where: WorkspaceOptions = {}) =>
      http.call('get', `${WORKSPACE}/trash`, { ...at(where), query }),
    /** Restores removed files by their ids; those whose paths are taken are `skipped`. */
    restoreRemoved: (ids: readonly string[], where: WorkspaceOptions = {}) =>
      http.call('post', `${WORKSPACE}/trash/restore`, { ...at(where), body: { files: [...ids] } }),
    versions: (query: QueryOf<At<`${Workspace}/versions`, 'get'>>, where: WorkspaceOptions = {}) =>
      http.call('get', `${WORKSPACE}/versions`, { ...at(where), query }),
    diff: (query: QueryOf<At<`${Workspace}/diff`, 'get'>>, where: WorkspaceOptions = {}) =>
      http.call('get', `${WORKSPACE}/diff`, { ...at(where), query }),
    restore: (body: BodyOf<At<`${Workspace}/restore`, 'post'>>, where: WorkspaceOptions = {}) =>
      http.call('post', `${WORKSPACE}/restore`, { ...at(where), body }),
    /** A folder, or the whole workspace, as a zip. */
    pack: (path = '/', { workspace = http.workspace, signal }: WorkspaceOptions = {}): Promise<Response> =>
      http.raw('get', ARCHIVE, { path: { id: workspace }, query: { path }, signal }),
    /** Writes the files of a zip. */
    unpack: async (
      zip: BodyInit,
      path = '/',
      { workspace = http.workspace, signal }: WorkspaceOptions = {},
    ): Promise<AnswerOf<At<`${Workspace}/archive`, 'put'>>> =>
      jsonOf(
        await http.raw('put', ARCHIVE, {
          path: { id: workspace },
          query: { path },
          body: zip,
          headers: { 'content-type': 'application/zip' },
          signal,
        }),
      ),
  };
}

/** The headers of a change that is made from a version. */
export function precondition(base: number | null | undefined): Record<string, string> {
  if (base === undefined) return {};
  return base === null ? { 'if-none-match': '*' } : { 'if-match': `"${base}"` };
}
