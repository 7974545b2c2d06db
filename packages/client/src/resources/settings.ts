// What a workspace is set to: its roles, its policy, its MCP servers; and what was used.

import type { At, BodyOf, Http, QueryOf, Send } from '../http.ts';
import type { In } from './chats.ts';

const WORKSPACE = '/api/v1/workspaces/{id}';
const SERVER = '/api/v1/workspaces/{id}/mcp-servers/{name}';

export function settings(http: Http) {
  const at = ({ workspace = http.workspace, signal }: In) => ({ path: { id: workspace }, signal });
  const named = (name: string, { workspace = http.workspace, signal }: In) => ({
    path: { id: workspace, name },
    signal,
  });
  return {
    roles: {
      list: (where: In = {}) => http.call('get', `${WORKSPACE}/roles`, at(where)),
      get: (name: string, where: In = {}) =>
        http.call('get', `${WORKSPACE}/roles/{name}`, named(name, where)),
    },
    policies: {
      get: (where: In = {}) => http.call('get', `${WORKSPACE}/policy`, at(where)),
      set: (body: BodyOf<At<'/api/v1/workspaces/{id}/policy', 'put'>>, where: In = {}) =>
        http.call('put', `${WORKSPACE}/policy`, { ...at(where), body }),
    },
    mcp: {
      list: (where: In = {}) => http.call('get', `${WORKSPACE}/mcp-servers`, at(where)),
      set: (name: string, body: BodyOf<At<typeof SERVER, 'put'>>, where: In = {}) =>
        http.call('put', SERVER, { ...named(name, where), body }),
      remove: (name: string, where: In = {}) => http.call('delete', SERVER, named(name, where)),
      restart: (name: string, where: In = {}) => http.call('post', `${SERVER}/restart`, named(name, where)),
    },
    /** Whether the server can work; refused with 503 if not. */
    ready: (send: Send = {}) => http.call('get', '/readyz', send),
    /** Which models can answer, and what is missing for others. */
    models: (send: Send = {}) => http.call('get', '/api/models', { ...send }),
    usage: (query: QueryOf<At<'/api/usage', 'get'>> = {}, send: Send = {}) =>
      http.call('get', '/api/usage', { query, ...send }),
    /** The whole output of a tool; `id` is the run’s, a colon, and the call’s. */
    toolResult: (id: string, send: Send = {}) =>
      http.call('get', '/api/v1/tool-results/{id}', { path: { id }, ...send }),
  };
}
