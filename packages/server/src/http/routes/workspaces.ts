// Workspaces: create, list, rename, and remove with a grace period.

import { createRoute, z } from '@hono/zod-openapi';
import type { Workspace as WorkspaceBody } from '@continuo/protocol';
import { schemas } from '@continuo/protocol';
import type { Context } from 'hono';
import type { Pool } from '../../db/pool.ts';
import { mayUse, onlyWorkspace } from '../../identity/principal.ts';
import { cancelAllIn } from '../../runs/facts/cancel.ts';
import { decideRemovals } from '../../files/held-removals.ts';
import {
  bringBack,
  createWorkspace,
  DEFAULT_WORKSPACE,
  findWorkspace,
  GRACE_DAYS,
  listWorkspaces,
  problemWithWorkspaceName,
  readWorkspace,
  removeWorkspace,
  renameWorkspace,
  type Found,
  type Workspace,
} from '../../workspaces/workspaces.ts';
import type { App, HttpContext } from '../app.ts';
import { jsonBody } from '../kernel/body.ts';
import { personRoute } from '../kernel/person.ts';
import { Problem } from '../kernel/problem.ts';
import { body, invalidCursor, json, limitQuery, page, problems } from '../kernel/shared.ts';

const tags = ['workspaces'];

export const workspaceParam = z.object({
  id: z.string().min(1).max(64).openapi({ description: 'The workspace’s id or name.', example: 'default' }),
});

/** Finds a workspace by id or name. One that the principal may not use is not found. */
export async function workspaceIn(c: Context, pool: Pool, given: string): Promise<Found> {
  const found = given.length <= 64 && !given.includes('\0') ? await findWorkspace(pool, given) : null;
  if (!found || !mayUse(c.get('principal'), found.id)) throw noWorkspace(given);
  if (!found.removed) return found;
  throw new Problem({
    status: 410,
    code: 'workspace_removed',
    detail:
      `The workspace ${found.name} was removed. For ${GRACE_DAYS} days after that, ` +
      `POST /api/v1/workspaces/${found.id}/restore with an empty body brings it back.`,
  });
}

/** The workspace for a request that names none. */
export function defaultWorkspace(c: Context): string {
  if (!mayUse(c.get('principal'), DEFAULT_WORKSPACE)) throw noWorkspace('default');
  return DEFAULT_WORKSPACE;
}

function noWorkspace(given: string): Problem {
  return new Problem({
    status: 404,
    code: 'workspace_not_found',
    detail: `There is no workspace with the id or name ${JSON.stringify(given.slice(0, 64))}. GET /api/v1/workspaces lists what there is.`,
  });
}

export function workspaceRoutes(app: App, context: HttpContext): void {
  const { pool, config, workspaces, mcp } = context;
  const toWire = (workspace: Workspace): WorkspaceBody => shownWorkspace(workspace, config.workspaceBytes);
  const read = async (id: string): Promise<WorkspaceBody> => {
    const workspace = await readWorkspace(pool, id);
    if (!workspace) throw noWorkspace(id);
    return toWire(workspace);
  };

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/v1/workspaces',
      tags,
      summary: 'Make a workspace',
      middleware: jsonBody({ limit: 16 * 1024 }),
      request: { body: body(schemas.newWorkspace) },
      responses: { 201: json(schemas.workspace, 'The workspace'), ...problems(400, 409, 413, 415) },
    }),
    async (c) => {
      const { name } = c.req.valid('json');
      refuseName(name);
      const workspace = await createWorkspace(pool, name);
      if (!workspace) throw nameTaken(name);
      return c.json(toWire(workspace), 201, { location: `/api/v1/workspaces/${workspace.id}` });
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/workspaces',
      tags,
      summary: 'List workspaces by name',
      request: {
        query: z.object({
          after: z.string().max(200).optional(),
          limit: limitQuery,
          removed: z
            .enum(['true', 'false'])
            .default('false')
            .openapi({ description: '`true`: those that can still be brought back.' }),
        }),
      },
      responses: { 200: json(page(schemas.workspace), 'A page of workspaces'), ...problems(400) },
    }),
    async (c) => {
      const { after = '', limit, removed } = c.req.valid('query');
      if (after.includes('\0')) throw invalidCursor(after, 'is not one that a page gave as next.');
      const { items, next } = await listWorkspaces(pool, {
        after,
        limit,
        removed: removed === 'true',
        only: onlyWorkspace(c.get('principal')),
      });
      return c.json({ items: items.map(toWire), next }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/workspaces/{id}',
      tags,
      summary: 'Read a workspace: its files, bytes and quota',
      request: { params: workspaceParam },
      responses: { 200: json(schemas.workspace, 'The workspace'), ...problems(400, 404, 410) },
    }),
    async (c) => c.json(await read((await workspaceIn(c, pool, c.req.valid('param').id)).id), 200),
  );

  app.openapi(
    createRoute({
      method: 'patch',
      path: '/api/v1/workspaces/{id}',
      tags,
      summary: 'Rename a workspace',
      middleware: jsonBody({ limit: 16 * 1024 }),
      request: { params: workspaceParam, body: body(schemas.newWorkspace) },
      responses: { 200: json(schemas.workspace, 'The workspace'), ...problems(400, 404, 409, 410, 413, 415) },
    }),
    async (c) => {
      const { name } = c.req.valid('json');
      refuseName(name);
      const { id } = await workspaceIn(c, pool, c.req.valid('param').id);
      const outcome = await renameWorkspace(pool, id, name);
      if (outcome === 'taken') throw nameTaken(name);
      if (outcome === 'not_found') throw noWorkspace(id);
      await workspaces.moved(id);
      return c.json(await read(id), 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'delete',
      path: '/api/v1/workspaces/{id}',
      tags,
      summary: 'Remove a workspace',
      description:
        `Its open runs are canceled, and its threads take no new message. For ${GRACE_DAYS} days it can be brought back; ` +
        'then its files and threads are deleted for good.',
      request: { params: workspaceParam },
      responses: { 200: json(schemas.workspace, 'The removed workspace'), ...problems(400, 403, 404, 410) },
    }),
    async (c) => {
      const { id } = await workspaceIn(c, pool, c.req.valid('param').id);
      if (id === DEFAULT_WORKSPACE) throw defaultStays();
      if (!(await removeWorkspace(pool, id))) throw noWorkspace(id);
      await cancelAllIn(context, id, 'workspace_removed');
      await Promise.all([workspaces.moved(id), mcp.changed(id)]);
      return c.json(await read(id), 200);
    },
  );

  const decisions = [
    {
      action: 'restore',
      decision: 'restore',
      summary: 'Put back files that disappeared from the folder on disk at once',
    },
    {
      action: 'accept-removals',
      decision: 'remove',
      summary: 'Remove from the workspace files that disappeared from the folder on disk at once',
    },
  ] as const;
  for (const { action, decision, summary } of decisions)
    app.openapi(
      personRoute({
        method: 'post',
        path: `/api/v1/workspaces/{id}/folder/${action}` as const,
        tags,
        summary,
        description:
          'Where many files disappear at once, nothing is removed until a person decides; `held_removals` of the workspace says so. ' +
          'The server that has the folder does what was decided, within moments.',
        request: { params: workspaceParam },
        responses: { 200: json(schemas.workspace, 'The workspace'), ...problems(400, 404, 409, 410) },
      }),
      async (c) => {
        const { id } = await workspaceIn(c, pool, c.req.valid('param').id);
        if (!(await decideRemovals(pool, id, decision))) throw nothingHeld();
        await workspaces.moved(id);
        return c.json(await read(id), 200);
      },
    );
}

/** Restores a removed workspace under its name. */
export async function restoreWorkspace(
  { pool, config, workspaces, mcp }: HttpContext,
  found: Found,
): Promise<WorkspaceBody> {
  const outcome = await bringBack(pool, found.id);
  if (outcome === 'taken') {
    throw new Problem({
      status: 409,
      code: 'name_taken',
      detail: `Another workspace is called ${found.name} now; rename that one first.`,
    });
  }
  await Promise.all([workspaces.moved(found.id), mcp.changed(found.id)]);
  const workspace = await readWorkspace(pool, found.id);
  if (!workspace) throw noWorkspace(found.id);
  return shownWorkspace(workspace, config.workspaceBytes);
}

function shownWorkspace(workspace: Workspace, quota: number): WorkspaceBody {
  const { id, name, createdAt, removedAt, files, bytes, heldRemovals } = workspace;
  return {
    id,
    name,
    created_at: createdAt.toISOString(),
    removed_at: removedAt?.toISOString() ?? null,
    purged_after: removedAt && new Date(removedAt.getTime() + GRACE_DAYS * 86_400_000).toISOString(),
    files,
    bytes,
    quota_bytes: quota,
    held_removals: heldRemovals && { since: heldRemovals.since.toISOString(), files: heldRemovals.files },
  };
}

function refuseName(name: string): void {
  const problem = problemWithWorkspaceName(name);
  if (!problem) return;
  throw new Problem({ status: 400, code: 'invalid_name', detail: `The name is refused: ${problem}.` });
}

function nameTaken(name: string): Problem {
  return new Problem({
    status: 409,
    code: 'name_taken',
    detail: `There is a workspace called ${name} already; choose another name.`,
  });
}

function nothingHeld(): Problem {
  return new Problem({
    status: 409,
    code: 'nothing_held',
    detail:
      'No removals are held back in this workspace, or somebody has decided already: `held_removals` of the workspace is null.',
  });
}

function defaultStays(): Problem {
  return new Problem({
    status: 403,
    code: 'default_workspace',
    detail: 'The default workspace cannot be removed; remove what is in it instead.',
  });
}
