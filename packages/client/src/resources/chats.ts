// The chats of a workspace: open, send, stop, archive, remove.

import {
  withIdempotencyKey,
  type At,
  type BodyOf,
  type Http,
  type QueryOf,
  type RequestOptions,
} from '../http.ts';
import type { SendMessage } from './threads.ts';

/** The workspace of the call; the client's own if absent. */
export interface WorkspaceOptions extends RequestOptions {
  readonly workspace?: string | undefined;
}

const CHATS = '/api/v1/workspaces/{id}/chats';
const CHAT = '/api/v1/workspaces/{id}/chats/{chat}';
type Chats = typeof CHATS;
type Chat = typeof CHAT;

export function chats(http: Http) {
  const at = (chat: string, { workspace = http.workspace, signal }: WorkspaceOptions) => ({
    path: { id: workspace, chat },
    signal,
  });
  return {
    /** Opens a chat; its first run starts at once. */
    open: (
      body: BodyOf<At<Chats, 'post'>>,
      { workspace = http.workspace, ...send }: WorkspaceOptions & SendMessage = {},
    ) =>
      withIdempotencyKey(send, (headers) =>
        http.call('post', CHATS, {
          path: { id: workspace },
          body,
          headers,
          signal: send.signal,
        }),
      ),
    list: (
      query: QueryOf<At<Chats, 'get'>> = {},
      { workspace = http.workspace, signal }: WorkspaceOptions = {},
    ) => http.call('get', CHATS, { path: { id: workspace }, query, signal }),
    get: (chat: string, where: WorkspaceOptions = {}) => http.call('get', CHAT, at(chat, where)),
    send: (chat: string, body: BodyOf<At<Chat, 'post'>>, where: WorkspaceOptions & SendMessage = {}) =>
      withIdempotencyKey(where, (headers) => http.call('post', CHAT, { ...at(chat, where), body, headers })),
    /** Renames or archives a chat. */
    change: (chat: string, body: BodyOf<At<Chat, 'patch'>>, where: WorkspaceOptions = {}) =>
      http.call('patch', CHAT, { ...at(chat, where), body }),
    remove: (chat: string, where: WorkspaceOptions = {}) => http.call('delete', CHAT, at(chat, where)),
    restore: (chat: string, where: WorkspaceOptions = {}) =>
      http.call('post', `${CHAT}/restore`, at(chat, where)),
    stop: (chat: string, where: WorkspaceOptions = {}) => http.call('post', `${CHAT}/stop`, at(chat, where)),
    pause: (chat: string, where: WorkspaceOptions = {}) =>
      http.call('post', `${CHAT}/pause`, at(chat, where)),
    resume: (chat: string, where: WorkspaceOptions = {}) =>
      http.call('post', `${CHAT}/resume`, at(chat, where)),
    /** Keeps an idle session alive. */
    ping: (chat: string, where: WorkspaceOptions = {}) => http.call('post', `${CHAT}/ping`, at(chat, where)),
    /** The audit trail. */
    messages: (
      chat: string,
      query: QueryOf<At<`${Chat}/messages`, 'get'>> = {},
      where: WorkspaceOptions = {},
    ) => http.call('get', `${CHAT}/messages`, { ...at(chat, where), query }),
    /** The agent state: what the agent knows, assumes and expects. */
    state: (chat: string, where: WorkspaceOptions = {}) => http.call('get', `${CHAT}/state`, at(chat, where)),
    /** Changes the agent state; resolves after the change is in the chat's log. */
    changeState: (chat: string, body: BodyOf<At<`${Chat}/state`, 'patch'>>, where: WorkspaceOptions = {}) =>
      http.call('patch', `${CHAT}/state`, { ...at(chat, where), body }),
    clearState: (chat: string, where: WorkspaceOptions = {}) =>
      http.call('delete', `${CHAT}/state`, at(chat, where)),
    /** The versions of the summary, newest first. */
    summaries: (chat: string, where: WorkspaceOptions = {}) =>
      http.call('get', `${CHAT}/summaries`, at(chat, where)),
    /** A version of the summary, with what it replaced and what was lost. */
    summary: (chat: string, version: number, { workspace = http.workspace, signal }: WorkspaceOptions = {}) =>
      http.call('get', `${CHAT}/summaries/{version}`, { path: { id: workspace, chat, version }, signal }),
    /** What happened since `after` (an event) or `since` (a time), what changed, what it cost, and what is needed. */
    digest: (chat: string, query: QueryOf<At<`${Chat}/digest`, 'get'>> = {}, where: WorkspaceOptions = {}) =>
      http.call('get', `${CHAT}/digest`, { ...at(chat, where), query }),
    /** What is in focus, and how full the model's context window is. */
    context: (chat: string, where: WorkspaceOptions = {}) =>
      http.call('get', `${CHAT}/context`, at(chat, where)),
    /** Sets what the next message is about, and reads its context ahead. */
    focus: (chat: string, body: BodyOf<At<`${Chat}/focus`, 'post'>>, where: WorkspaceOptions = {}) =>
      http.call('post', `${CHAT}/focus`, { ...at(chat, where), body }),
    /** The chat, or one run of it, as a Markdown or JSON file. */
    export: (
      chat: string,
      query: QueryOf<At<`${Chat}/export`, 'get'>> = {},
      where: WorkspaceOptions = {},
    ): Promise<Response> => http.raw('get', `${CHAT}/export`, { ...at(chat, where), query }),
    sessions: (
      chat: string,
      query: QueryOf<At<`${Chat}/sessions`, 'get'>> = {},
      where: WorkspaceOptions = {},
    ) => http.call('get', `${CHAT}/sessions`, { ...at(chat, where), query }),
  };
}
