// Requests about projects, entities and edges. The kinds are those that the server lists, so entities are not typed by kind.

import type { Schemas } from '@continuo/client';
import type { Entity } from '@continuo/protocol';
import { client } from '../data/client.ts';

export type Kind = Schemas['EntityKind'];
type Relation = Schemas['Relation'];
export type Link = Schemas['Link'];
export type EntityVersion = Schemas['EntityVersion'];
type DocumentMetadata = Schemas['DocumentMetadata'];

export interface Kinds {
  readonly items: readonly Kind[];
  readonly relations: readonly Relation[];
}

export interface EntityPage {
  readonly items: readonly Entity[];
  readonly next: string | null;
  readonly as_of: number;
}

export interface Board {
  readonly columns: readonly {
    readonly state: string;
    readonly count: number;
    readonly items: readonly Entity[];
  }[];
  readonly as_of: number;
}

export interface StructureNode {
  readonly id: string;
  readonly order: number;
  readonly children: readonly StructureNode[];
}

/** The tree of a project's documents, with what a map shows of each. */
export interface Structure {
  readonly version: number;
  readonly root: readonly StructureNode[];
  readonly documents: ReadonlyMap<string, DocumentMetadata>;
  readonly as_of: number;
}

export interface SearchHit {
  readonly entity_type: string;
  readonly entity_id: string;
  readonly project_id: string | null;
  readonly title: string;
  readonly snippet: string | null;
  /** Of a file, a document or a chat. */
  readonly path: string | null;
}

/** Fields to write; null clears one. */
export type Fields = Readonly<Record<string, unknown>>;

const of = (plural: string) => client.entities<string>(plural, plural);

export const api = {
  kinds: (signal: AbortSignal): Promise<Kinds> => client.kinds({ signal }),

  list: (
    plural: string,
    query: { project_id?: string; state?: string; after?: string; limit?: number },
    signal?: AbortSignal,
  ): Promise<EntityPage> => of(plural).list(query, { signal }),

  board: (plural: string, projectId: string, signal: AbortSignal): Promise<Board> =>
    of(plural).board({ project_id: projectId }, { signal }),

  structure: async (projectId: string, signal: AbortSignal): Promise<Structure> => {
    const { documents = [], ...structure } = await client.documents.structure(
      projectId,
      { include: 'metadata' },
      { signal },
    );
    return { ...structure, documents: new Map(documents.map((each) => [each.id, each])) };
  },

  read: (id: string, signal?: AbortSignal): Promise<Entity> => client.entity(id, { signal }),

  versions: (plural: string, id: string, after: string | null, signal: AbortSignal) =>
    of(plural).versions(id, after === null ? {} : { after }, { signal }),

  create: (plural: string, fields: Fields & { readonly project_id: string }): Promise<Entity> =>
    of(plural).create(fields),

  createProject: client.projects.create,

  /** `version`: the one that the change was made from. */
  update: (plural: string, id: string, fields: Fields, version?: number): Promise<Entity> =>
    of(plural).change(id, fields, { base: version }),

  remove: (plural: string, id: string): Promise<Entity> => of(plural).remove(id),

  restore: (plural: string, id: string): Promise<Entity> => of(plural).restore(id),

  move: client.documents.move,

  links: async (id: string, signal: AbortSignal): Promise<readonly Link[]> =>
    (await client.edges.list(id, { signal })).items,

  link: client.edges.create,

  unlink: client.edges.remove,

  search: async (
    query: { q: string; project_id: string; kinds?: string; limit: number },
    signal: AbortSignal,
  ) => (await client.search(query, { signal })).items as readonly Partial<SearchHit>[],
};
