// Edges between entities. They are made after the entities that they link.

import { v7 as uuidv7 } from 'uuid';
import type { Queryable } from '../db/pool.ts';
import { changeEntities, readEntities, type Caller, type Change, type Operation } from './entities.ts';
import { NotFound, Refused } from './errors.ts';
import { titleOf, type Edge } from './kind.ts';
import { problemWithEdge, RELATIONS } from './relations.ts';

export interface NewEdge {
  readonly from_id: string;
  readonly to_id: string;
  readonly rel: string;
}

export async function link(caller: Caller, edge: NewEdge): Promise<Change & { readonly edge: Edge }> {
  if (edge.from_id === edge.to_id) throw new Refused('an entity cannot be linked to itself');
  const ends = await readEntities(caller.client, caller.workspaceId, [edge.from_id, edge.to_id]);
  const [from, to] = [ends.get(edge.from_id), ends.get(edge.to_id)];
  if (!from) throw new NotFound('entity', edge.from_id);
  if (!to) throw new NotFound('entity', edge.to_id);
  const problem = problemWithEdge(edge.rel, from.kind, to.kind);
  if (problem) throw new Refused(problem);
  const operation = linking(edge);
  const change = await changeEntities(caller, [operation]);
  return { ...change, edge: edgeOf(operation) };
}

/** The operation that adds an edge, whose ends have been checked. */
export function linking({ from_id, to_id, rel }: NewEdge): Operation & { readonly op: 'link' } {
  return { op: 'link', id: uuidv7(), from_id, to_id, rel, acyclic: RELATIONS[rel]!.acyclic };
}

export function edgeOf({ id, from_id, rel, to_id }: Operation & { readonly op: 'link' }): Edge {
  return { id, from_id, rel, to_id };
}

export function unlink(caller: Caller, edgeId: string): Promise<Change> {
  return changeEntities(caller, [{ op: 'unlink', id: edgeId }]).catch((error: unknown) => {
    throw error instanceof NotFound ? new NotFound('edge', edgeId) : error;
  });
}

/** Finds the edge between two entities. */
export async function findEdge(
  client: Queryable,
  workspaceId: string,
  { from_id, to_id, rel }: NewEdge,
): Promise<Edge | null> {
  const { rows } = await client.query<Edge>(
    `select id, from_id, rel, to_id from edges
      where workspace_id = $1 and from_id = $2 and to_id = $3 and rel = $4`,
    [workspaceId, from_id, to_id, rel],
  );
  return rows[0] ?? null;
}

/** An edge seen from one of its ends. */
export interface Link {
  readonly id: string;
  readonly rel: string;
  /** `out`: the edge starts here. */
  readonly direction: 'out' | 'in';
  /** How it reads from here: "depends on", "is needed by". */
  readonly label: string;
  readonly entity: {
    readonly id: string;
    readonly kind: string;
    readonly title: string;
    readonly state: string | null;
  };
}

/** The links of an entity to live entities, both ways. */
export async function listLinks(
  client: Queryable,
  workspaceId: string,
  entityId: string,
): Promise<readonly Link[]> {
  const { rows } = await client.query<Edge>({
    name: 'list_links',
    text: `select id, from_id, rel, to_id from edges
      where workspace_id = $1 and (from_id = $2 or to_id = $2) order by rel, id`,
    values: [workspaceId, entityId],
  });
  const others = rows.map(({ from_id, to_id }) => (from_id === entityId ? to_id : from_id));
  const entities = await readEntities(client, workspaceId, others, { live: true });
  return rows.flatMap(({ id, rel, from_id }, index) => {
    const entity = entities.get(others[index]!);
    if (!entity) return [];
    const direction = from_id === entityId ? ('out' as const) : ('in' as const);
    const relation = RELATIONS[rel];
    return [
      {
        id,
        rel,
        direction,
        label: relation ? (direction === 'out' ? relation.forward : relation.backward) : rel,
        entity: { id: entity.id, kind: entity.kind, title: titleOf(entity), state: entity.state ?? null },
      },
    ];
  });
}
