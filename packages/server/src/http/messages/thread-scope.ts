// What a message's thread is about, as requests name it: the whole workspace, a project, or an entity of a project.

import type { z } from '@hono/zod-openapi';
import type { schemas, ThreadScope } from '@continuo/protocol';
import type { WorkspaceScope } from '../../identity/scope.ts';
import { readEntities } from '../../knowledge/entities.ts';
import type { Entity } from '../../knowledge/kind.ts';
import type { HttpContext } from '../app.ts';
import { Problem } from '../kernel/problem.ts';

type AgentMessage = z.infer<typeof schemas.agentMessage>;

/** The scope of an agent message; undefined if it names none. */
export async function scopeOfMessage(
  context: HttpContext,
  where: WorkspaceScope,
  { scope, project_id, entity }: Pick<AgentMessage, 'scope' | 'project_id' | 'entity'>,
): Promise<ThreadScope | undefined> {
  if (scope === undefined || scope === 'global') {
    const stray = project_id === undefined ? entity && 'entity' : 'project_id';
    if (stray)
      throw misfit(stray, `${stray} goes with the scope ${stray === 'entity' ? 'entity' : 'project'}`);
    return scope && { project_id: null };
  }
  if (scope === 'project') {
    if (entity) throw misfit('entity', 'entity goes with the scope entity');
    if (project_id === undefined) throw misfit('project_id', 'the scope project needs project_id');
    return requireThreadScope(context, where, { project_id });
  }
  if (!entity) throw misfit('entity', 'the scope entity needs entity, with its type and id');
  return requireThreadScope(context, where, { project_id, entity_id: entity.id, type: entity.type });
}

/** The scope with a project or an entity, which must be in the workspace; undefined if neither is named. */
export async function requireThreadScope(
  { knowledge }: HttpContext,
  { db, workspaceId }: WorkspaceScope,
  {
    project_id: projectId,
    entity_id: entityId,
    type,
  }: {
    readonly project_id?: string | undefined;
    readonly entity_id?: string | undefined;
    readonly type?: string | undefined;
  },
): Promise<ThreadScope | undefined> {
  const entities = knowledge.kinds.map(({ kind }) => kind);
  const ids = [projectId, entityId].filter((id) => id !== undefined);
  if (ids.length === 0) return undefined;
  const found = await readEntities(db, workspaceId, ids);
  const entity = entityId === undefined ? undefined : found.get(entityId);
  if (entityId !== undefined && (!isLive(entity) || (type !== undefined && entity.kind !== type)))
    throw missing(type !== undefined && entities.includes(type) ? type : 'entity', entityId);
  const owner = projectId ?? entity!.project_id ?? entity!.id;
  const project = found.get(owner) ?? (await readEntities(db, workspaceId, [owner])).get(owner);
  if (!isLive(project) || project.kind !== 'project') throw missing('project', owner);
  if (!entity || entity.id === owner) return { project_id: owner };
  if (entity.project_id !== owner)
    throw misfit('project_id', `the ${entity.kind} ${entity.id} is in the project ${entity.project_id}`);
  return { project_id: owner, entity_id: entity.id };
}

function isLive(entity: Entity | undefined): entity is Entity {
  return entity !== undefined && entity.removed_at === null;
}

function missing(what: string, id: string): Problem {
  return new Problem({
    status: 404,
    code: `${what}_not_found`,
    detail: `There is no ${what} with the id ${id} in this workspace.`,
  });
}

function misfit(path: string, message: string): Problem {
  return new Problem({
    status: 400,
    code: 'invalid_scope',
    detail: `${path}: ${message}.`,
    extra: { errors: [{ path, message }] },
  });
}
