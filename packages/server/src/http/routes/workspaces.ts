// Workspaces: create, list, rename, and remove with a grace period.

import { createRoute, z } from '@hono/zod-openapi';
import type { Workspace as WorkspaceBody } from '@continuo/protocol';
import { schemas } from '@continuo/protocol';
import type { WorkspaceScope } from '../../identity/scope.ts';
import { cancelAllIn } from '../../runs/facts/cancel.ts';
import { decideRemovals } from '../../files/held-removals.ts';
import {
  restoreWorkspaceRow,
  createWorkspace,
  DEFAULT_NAME,
  DEFAULT_WORKSPACE,
  GRACE_DAYS,
  listWorkspaces,
  problemWithWorkspaceName,
  readWorkspace,
  removeWorkspace,
  renameWorkspace,
  type Workspace,
} from '../../workspaces/workspaces.ts';
import type { App, HttpContext } from '../app.ts';
import { jsonBody } from '../kernel/body.ts';
import { personRoute } from '../kernel/person.ts';
import { Problem } from '../kernel/problem.ts';
import {
  factWorld,
  refuseLimitedKey,
  scopeIn,
  serverScope,
  workspaceNotFound,
  workspaceParam,
} from '../kernel/scope.ts';
import { body, invalidCursor, json, limitQuery, page, problems } from '../kernel/shared.ts';

const tags = ['workspaces'];

export function workspaceRoutes(app: App, context: HttpContext): void {
  const { config, workspaces, mcp } = context;
  const toWire = (workspace: Workspace): WorkspaceBody => toWireWorkspace(workspace, config.workspaceBytes);
  const read = async ({ db, workspaceId }: WorkspaceScope): Promise<WorkspaceBody> => {
    const workspace = await readWorkspace(db, workspaceId);
    if (!workspace) throw workspaceNotFound(workspaceId);
    return toWire(workspace);
  };

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/v1/workspaces',
      tags,
      summary: 'Create a workspace',
      middleware: jsonBody({ limit: 16 * 1024 }),
      request: { body: body(schemas.newWorkspace) },
      responses: { 201: json(schemas.workspace, 'The workspace'), ...problems(400, 403, 409, 413, 415) },
    }),
    async (c) => {
      refuseLimitedKey(c, 'make workspaces');
      const { name } = c.req.valid('json');
      refuseName(name);
      const workspace = await createWorkspace(serverScope(c).db, name);
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
            .openapi({ description: '`true`: only removed workspaces that can still be restored.' }),
        }),
      },
      responses: { 200: json(page(schemas.workspace), 'A page of workspaces'), ...problems(400) },
    }),
    async (c) => {
      const { after = '', limit, removed } = c.req.valid('query');
      if (after.includes('\0')) throw invalidCursor(after, 'is not the `next` of a page.');
      const { db, only } = serverScope(c);
      const { items, next } = await listWorkspaces(db, { after, limit, removed: removed === 'true', only });
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
    async (c) => c.json(await read(await scopeIn(c)), 200),
  );

  app.openapi(
    createRoute({
      method: 'patch',
      path: '/api/v1/workspaces/{id}',
      tags,
      summary: 'Rename a workspace',
      middleware: jsonBody({ limit: 16 * 1024 }),
      request: { params: workspaceParam, body: body(schemas.newWorkspace) },
      responses: {
        200: json(schemas.workspace, 'The workspace'),
        ...problems(400, 403, 404, 409, 410, 413, 415),
      },
    }),
    async (c) => {
      const { name } = c.req.valid('json');
      refuseName(name);
      const scope = await scopeIn(c);
      const { db, workspaceId } = scope;
      if (workspaceId === DEFAULT_WORKSPACE && name !== DEFAULT_NAME) throw defaultStays();
      const outcome = await renameWorkspace(db, workspaceId, name);
      if (outcome === 'taken') throw nameTaken(name);
      if (outcome === 'not_found') throw workspaceNotFound(workspaceId);
      await workspaces.moved(workspaceId);
      return c.json(await read(scope), 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'delete',
      path: '/api/v1/workspaces/{id}',
      tags,
      summary: 'Remove a workspace',
      description:
        `Its open runs are canceled, and its threads accept no new messages. It can be restored for ${GRACE_DAYS} days; ` +
        'then it is purged with its files and threads.',
      request: { params: workspaceParam },
      responses: { 200: json(schemas.workspace, 'The removed workspace'), ...problems(400, 403, 404, 410) },
    }),
    async (c) => {
      const scope = await scopeIn(c);
      const { db, workspaceId } = scope;
      if (workspaceId === DEFAULT_WORKSPACE) throw defaultStays();
      if (!(await removeWorkspace(db, workspaceId))) throw workspaceNotFound(workspaceId);
      await cancelAllIn(factWorld(context, scope), workspaceId, 'workspace_removed');
      await Promise.all([workspaces.moved(workspaceId), mcp.changed(workspaceId)]);
      return c.json(await read(scope), 200);
    },
  );

  const decisions = [
    {
      action: 'restore',
      decision: 'restore',
      summary: 'Restore files that disappeared from the folder on disk at once',
    },
    {
      action: 'accept-removals',
      decision: 'remove',
      summary: 'Accept the removal of files that disappeared from the folder on disk at once',
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
          'If many files disappear at once, their removals are held until a person decides: see `held_removals` of the workspace. ' +
          'The server that owns the folder carries out the decision within moments.',
        request: { params: workspaceParam },
        responses: { 200: json(schemas.workspace, 'The workspace'), ...problems(400, 404, 409, 410) },
      }),
      async (c) => {
        const scope = await scopeIn(c);
        const { db, workspaceId, principal } = scope;
        if (!(await decideRemovals(db, workspaceId, decision, principal))) throw nothingHeld();
        await workspaces.moved(workspaceId);
        return c.json(await read(scope), 200);
      },
    );
}

/** Restores a removed workspace under its name. */
export async function restoreWorkspace(
  { config, workspaces, mcp }: HttpContext,
  { db, workspaceId }: WorkspaceScope,
): Promise<WorkspaceBody> {
  const outcome = await restoreWorkspaceRow(db, workspaceId);
  const workspace = await readWorkspace(db, workspaceId);
  if (!workspace) throw workspaceNotFound(workspaceId);
  if (outcome === 'taken') {
    throw new Problem({
      status: 409,
      code: 'name_taken',
      detail: `Another workspace is called ${workspace.name} now; rename that one first.`,
    });
  }
  await Promise.all([workspaces.moved(workspaceId), mcp.changed(workspaceId)]);
  return toWireWorkspace(workspace, config.workspaceBytes);
}

function toWireWorkspace(workspace: Workspace, quota: number): WorkspaceBody {
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
  throw new Problem({ status: 400, code: 'invalid_name', detail: `The name is not valid: ${problem}.` });
}

function nameTaken(name: string): Problem {
  return new Problem({
    status: 409,
    code: 'name_taken',
    detail: `A workspace named ${name} already exists; choose another name.`,
  });
}

function nothingHeld(): Problem {
  return new Problem({
    status: 409,
    code: 'nothing_held',
    detail:
      'No removals are held in this workspace, or a decision was already made: `held_removals` of the workspace is null.',
  });
}

function defaultStays(): Problem {
  return new Problem({
    status: 403,
    code: 'default_workspace',
    detail:
      'The default workspace cannot be removed or renamed: clients that name no workspace use it. Remove what is in it, or create another workspace.',
  });
}
