// Edges between entities. They are made after the entities that they link.

import { v7 as uuidv7 } from 'uuid';
import type { Queryable } from '../db/pool.ts';
import { changeEntities, LIVE, readEntities, type Caller, type Change, type Operation } from './entities.ts';
import { NotFound, Refused } from './errors.ts';
import type { Edge } from './kind.ts';
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
interface Link {
  readonly id: string;
  readonly rel: string;
  /** `out`: the edge starts here. */
  readonly direction: 'out' | 'in';
  /** How it reads from here: "depends on", "is needed by". */
  readonly label: string;
  readonly entity: {
    readonly id: string;
    readonly kind: string;
    readonly project_id: string | null;
    readonly title: string;
    readonly state: string | null;
  };
}

interface Links {
  readonly items: readonly Link[];
  /** The change feed's seq of the same moment. */
  readonly as_of: number;
}

/** The links of an entity to live entities, both ways. */
export async function listLinks(client: Queryable, workspaceId: string, entityId: string): Promise<Links> {
  const { rows } = await client.query<{
    as_of: string;
    links: { id: string; rel: string; from_id: string; entity: Link['entity'] }[];
  }>({
    name: 'list_links',
    text: `select w.change_seq as as_of, coalesce((
        select jsonb_agg(jsonb_build_object('id', g.id, 'rel', g.rel, 'from_id', g.from_id, 'entity', jsonb_build_object(
          'id', e.id, 'kind', e.kind, 'project_id', e.project_id, 'title', e.title, 'state', e.state)) order by g.rel, g.id)
        from edges g join entities e on e.id = case when g.from_id = $2 then g.to_id else g.from_id end
        where g.workspace_id = w.id and (g.from_id = $2 or g.to_id = $2) and ${LIVE}
      ), '[]') as links
      from workspaces w where w.id = $1`,
    values: [workspaceId, entityId],
  });
  const { as_of, links } = rows[0] ?? { as_of: '0', links: [] };
  const items = links.map(({ id, rel, from_id, entity }) => {
    const direction = from_id === entityId ? ('out' as const) : ('in' as const);
    const relation = RELATIONS[rel];
    const label = relation ? (direction === 'out' ? relation.forward : relation.backward) : rel;
    return { id, rel, direction, label, entity };
  });
  return { items, as_of: Number(as_of) };
}
