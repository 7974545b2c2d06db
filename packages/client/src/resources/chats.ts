// Chats of a workspace: opened with a goal, talked to, stopped, put away.

import { once, type At, type BodyOf, type Http, type QueryOf, type Send } from '../http.ts';
import type { SendMessage } from './threads.ts';

/** Which workspace is meant, if not the client's own. */
export interface In extends Send {
  readonly workspace?: string | undefined;
}

const CHATS = '/api/v1/workspaces/{id}/chats';
const CHAT = '/api/v1/workspaces/{id}/chats/{chat}';
type Chats = typeof CHATS;
type Chat = typeof CHAT;

export function chats(http: Http) {
  const at = (chat: string, { workspace = http.workspace, signal }: In) => ({
    path: { id: workspace, chat },
    signal,
  });
  return {
    /** A run begins at once. */
    open: (
      body: Omit<BodyOf<At<Chats, 'post'>>, 'mode'> & { readonly mode?: 'chat_mode' },
      { workspace = http.workspace, ...send }: In & SendMessage = {},
    ) =>
      once(send, (headers) =>
        http.call('post', CHATS, {
          path: { id: workspace },
          body: { mode: 'chat_mode', ...body },
          headers,
          signal: send.signal,
        }),
      ),
    list: (query: QueryOf<At<Chats, 'get'>> = {}, { workspace = http.workspace, signal }: In = {}) =>
      http.call('get', CHATS, { path: { id: workspace }, query, signal }),
    get: (chat: string, where: In = {}) => http.call('get', CHAT, at(chat, where)),
    send: (chat: string, body: BodyOf<At<Chat, 'post'>>, where: In & SendMessage = {}) =>
      once(where, (headers) => http.call('post', CHAT, { ...at(chat, where), body, headers })),
    /** Renames it, or puts it away. */
    change: (chat: string, body: BodyOf<At<Chat, 'patch'>>, where: In = {}) =>
      http.call('patch', CHAT, { ...at(chat, where), body }),
    remove: (chat: string, where: In = {}) => http.call('delete', CHAT, at(chat, where)),
    restore: (chat: string, where: In = {}) => http.call('post', `${CHAT}/restore`, at(chat, where)),
    stop: (chat: string, where: In = {}) => http.call('post', `${CHAT}/stop`, at(chat, where)),
    pause: (chat: string, where: In = {}) => http.call('post', `${CHAT}/pause`, at(chat, where)),
    resume: (chat: string, where: In = {}) => http.call('post', `${CHAT}/resume`, at(chat, where)),
    /** Keeps an idle session alive. */
    ping: (chat: string, where: In = {}) => http.call('post', `${CHAT}/ping`, at(chat, where)),
    /** The audit trail. */
    messages: (chat: string, query: QueryOf<At<`${Chat}/messages`, 'get'>> = {}, where: In = {}) =>
      http.call('get', `${CHAT}/messages`, { ...at(chat, where), query }),
    sessions: (chat: string, query: QueryOf<At<`${Chat}/sessions`, 'get'>> = {}, where: In = {}) =>
      http.call('get', `${CHAT}/sessions`, { ...at(chat, where), query }),
  };
}
