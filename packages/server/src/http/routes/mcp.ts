// The MCP servers of a workspace. A stdio server is a command on the server's machine, so only a person may change them.

import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { schemas, type McpServer } from '@continuo/protocol';
import type { ConnectionState } from '../../mcp/connection.ts';
import { MOST_SERVERS } from '../../mcp/limits.ts';
import { withoutValues, type ServerRow } from '../../mcp/rows.ts';
import type { App, HttpContext } from '../app.ts';
import { jsonBody } from '../kernel/body.ts';
import { personRoute } from '../kernel/person.ts';
import { Problem } from '../kernel/problem.ts';
import { body, json, notFound, problems } from '../kernel/shared.ts';
import { scopeIn, workspaceParam } from '../kernel/scope.ts';

const tags = ['mcp servers'];
const path = '/api/v1/workspaces/{id}/mcp-servers';
const serverParam = workspaceParam.extend({ name: schemas.mcpServerName });

export function mcpRoutes(app: App, { mcp }: HttpContext): void {
  const server = async (c: Context, { name }: z.infer<typeof serverParam>) => ({
    id: (await scopeIn(c)).workspaceId,
    name,
  });
  const read = async (id: string, name: string): Promise<McpServer> => {
    const found = (await mcp.serversOf(id)).find(({ row }) => row.name === name);
    // A concurrent request removed it.
    if (!found) throw serverNotFound(name);
    return toWireServer(found);
  };

  app.openapi(
    createRoute({
      method: 'get',
      path,
      tags,
      summary: 'List the MCP servers of a workspace, with their state and tools',
      request: { params: workspaceParam },
      responses: {
        200: json(z.object({ items: z.array(schemas.mcpServer) }), 'The servers, by name'),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { workspaceId: id } = await scopeIn(c);
      return c.json({ items: (await mcp.serversOf(id)).map(toWireServer) }, 200);
    },
  );

  app.openapi(
    personRoute({
      method: 'put',
      path: `${path}/{name}`,
      tags,
      summary: 'Add or change an MCP server; it is (re)started',
      middleware: jsonBody(),
      request: { params: serverParam, body: body(schemas.mcpConfig) },
      responses: {
        200: json(schemas.mcpServer, 'The server was changed'),
        201: json(schemas.mcpServer, 'The server was added'),
        ...problems(400, 404, 409, 410, 413, 415),
      },
    }),
    async (c) => {
      const { id, name } = await server(c, c.req.valid('param'));
      const put = await mcp.put(id, name, c.req.valid('json'));
      if (put.kind === 'no_workspace') throw notFound('workspace', id);
      if (put.kind === 'too_many') throw tooMany();
      if (put.kind === 'nothing_to_keep') throw nothingToKeep(put.paths);
      return c.json(await read(id, name), put.created ? 201 : 200);
    },
  );

  app.openapi(
    personRoute({
      method: 'delete',
      path: `${path}/{name}`,
      tags,
      summary: 'Remove an MCP server; its process is stopped',
      request: { params: serverParam },
      responses: { 204: { description: 'The server is removed' }, ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { id, name } = await server(c, c.req.valid('param'));
      if (!(await mcp.remove(id, name))) throw serverNotFound(name);
      return c.body(null, 204);
    },
  );

  app.openapi(
    personRoute({
      method: 'post',
      path: `${path}/{name}/restart`,
      tags,
      summary: 'Restart an MCP server on every pod',
      request: { params: serverParam },
      responses: { 202: json(schemas.mcpServer, 'The server is restarting'), ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { id, name } = await server(c, c.req.valid('param'));
      if (!(await mcp.restart(id, name))) throw serverNotFound(name);
      return c.json(await read(id, name), 202);
    },
  );
}

function toWireServer({ row, state }: { row: ServerRow; state: ConnectionState | null }): McpServer {
  return {
    name: row.name,
    config: withoutValues(row.config),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    state: toWireState(state),
  };
}

function toWireState(state: ConnectionState | null): McpServer['state'] {
  if (!state) return { status: 'disabled' };
  const since = new Date(state.since).toISOString();
  switch (state.status) {
    case 'connecting':
      return { status: 'connecting', since };
    case 'failed':
      return {
        status: 'failed',
        since,
        reason: state.reason,
        retry_at: new Date(state.retryAt).toISOString(),
      };
    case 'ready': {
      const tools = state.listing.tools.map(({ tool, run: { name, description, effect } }) => ({
        name,
        tool,
        description,
        effect,
      }));
      return { status: 'ready', since, tools, left_out: [...state.listing.leftOut] };
    }
  }
}

function serverNotFound(name: string): Problem {
  return new Problem({
    status: 404,
    code: 'mcp_server_not_found',
    detail: `The workspace has no MCP server named ${name}.`,
  });
}

function tooMany(): Problem {
  return new Problem({
    status: 409,
    code: 'too_many_mcp_servers',
    detail: `A workspace may have at most ${MOST_SERVERS} MCP servers; remove one first.`,
  });
}

function nothingToKeep(paths: readonly string[]): Problem {
  const message = 'is null, which keeps the stored value, but no value is stored; send a value';
  return new Problem({
    status: 400,
    code: 'invalid_body',
    detail: paths.map((each) => `${each}: ${message}`).join('; '),
    extra: { errors: paths.map((each) => ({ path: each, message })) },
  });
}
