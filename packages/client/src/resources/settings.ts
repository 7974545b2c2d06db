// The settings of a workspace: roles, skills, policy, MCP servers and secrets; and the server's models and usage.

import type { At, BodyOf, Http, QueryOf, RequestOptions } from '../http.ts';
import type { WorkspaceOptions } from './chats.ts';

const WORKSPACE = '/api/v1/workspaces/{id}';
const SERVER = '/api/v1/workspaces/{id}/mcp-servers/{name}';
const SECRET = '/api/v1/workspaces/{id}/secrets/{name}';

export function settings(http: Http) {
  const at = ({ workspace = http.workspace, signal }: WorkspaceOptions) => ({
    path: { id: workspace },
    signal,
  });
  const named = (name: string, { workspace = http.workspace, signal }: WorkspaceOptions) => ({
    path: { id: workspace, name },
    signal,
  });
  return {
    roles: {
      list: (where: WorkspaceOptions = {}) => http.call('get', `${WORKSPACE}/roles`, at(where)),
      get: (name: string, where: WorkspaceOptions = {}) =>
        http.call('get', `${WORKSPACE}/roles/{name}`, named(name, where)),
    },
    /** Roles that work together; a team's lead brings its members in. */
    teams: {
      list: (where: WorkspaceOptions = {}) => http.call('get', `${WORKSPACE}/teams`, at(where)),
    },
    /** Agent Skills. */
    skills: {
      list: (where: WorkspaceOptions = {}) => http.call('get', `${WORKSPACE}/skills`, at(where)),
    },
    policies: {
      get: (where: WorkspaceOptions = {}) => http.call('get', `${WORKSPACE}/policy`, at(where)),
      set: (body: BodyOf<At<'/api/v1/workspaces/{id}/policy', 'put'>>, where: WorkspaceOptions = {}) =>
        http.call('put', `${WORKSPACE}/policy`, { ...at(where), body }),
    },
    mcp: {
      list: (where: WorkspaceOptions = {}) => http.call('get', `${WORKSPACE}/mcp-servers`, at(where)),
      set: (name: string, body: BodyOf<At<typeof SERVER, 'put'>>, where: WorkspaceOptions = {}) =>
        http.call('put', SERVER, { ...named(name, where), body }),
      remove: (name: string, where: WorkspaceOptions = {}) => http.call('delete', SERVER, named(name, where)),
      restart: (name: string, where: WorkspaceOptions = {}) =>
        http.call('post', `${SERVER}/restart`, named(name, where)),
    },
    /** Values that MCP servers and tools get by name. They are never returned. */
    secrets: {
      list: (where: WorkspaceOptions = {}) => http.call('get', `${WORKSPACE}/secrets`, at(where)),
      set: (name: string, body: BodyOf<At<typeof SECRET, 'put'>>, where: WorkspaceOptions = {}) =>
        http.call('put', SECRET, { ...named(name, where), body }),
      remove: (name: string, where: WorkspaceOptions = {}) => http.call('delete', SECRET, named(name, where)),
    },
    /** Whether the server is ready; throws with status 503 if not. */
    ready: (send: RequestOptions = {}) => http.call('get', '/readyz', send),
    /** The metrics of the pod that answers, in Prometheus' format. */
    metrics: async (send: RequestOptions = {}) => (await http.raw('get', '/metrics', send)).text(),
    /** The usable models, and what other providers lack. */
    models: (send: RequestOptions = {}) => http.call('get', '/api/models', { ...send }),
    usage: (query: QueryOf<At<'/api/usage', 'get'>> = {}, send: RequestOptions = {}) =>
      http.call('get', '/api/usage', { query, ...send }),
    /** Tokens and cost of a workspace over time. */
    usageOverTime: (
      query: QueryOf<At<'/api/v1/workspaces/{id}/usage', 'get'>> = {},
      where: WorkspaceOptions = {},
    ) => http.call('get', `${WORKSPACE}/usage`, { ...at(where), query }),
    /** The full output of a tool; `id` is `<run>:<call>`. */
    toolResult: (id: string, send: RequestOptions = {}) =>
      http.call('get', '/api/v1/tool-results/{id}', { path: { id }, ...send }),
  };
}
