// HTTP API bodies for knowledge: what all kinds of entities share. The bodies of each kind follow from its definition in the server.

import { z } from 'zod';
import { author } from './files.ts';
import { id, time, type patchOperation } from './scalars.ts';

export const edge = z.object({ id, from_id: id, rel: z.string(), to_id: id }).meta({
  id: 'Edge',
  description: 'A relation from one entity to another; the vocabulary lists the relations.',
});

/** What every entity has. */
export const entityBase = z.object({
  id,
  kind: z.string(),
  project_id: id.nullable(),
  version: z
    .int()
    .meta({ description: 'Counts from 1; each change of the entity or of its edges adds one.' }),
  created_at: time,
  updated_at: time,
  removed_at: time.nullable(),
  edges: z.array(edge),
});

export const entity = z
  .looseObject({
    ...entityBase.shape,
    title: z.string().optional(),
    name: z.string().optional(),
    state: z.string().optional(),
  })
  .meta({ id: 'Entity', description: 'An entity of any kind; its kind’s fields are members too.' });

export const entityVersion = z
  .object({
    version: z.int(),
    op: z.enum(['create', 'update', 'remove', 'restore', 'link', 'unlink', 'write', 'move']),
    author,
    at: time,
    entity: entity
      .optional()
      .meta({ description: 'The entity after the change. A document’s versions are its file’s.' }),
  })
  .meta({ id: 'EntityVersion' });

export const newEdge = z
  .strictObject({
    from_id: id,
    to_id: id,
    rel: z.string().max(64).meta({ example: 'depends_on' }),
  })
  .meta({ id: 'NewEdge' });

export const link = z
  .object({
    id: id.meta({ description: 'The id of the edge.' }),
    rel: z.string(),
    direction: z.enum(['out', 'in']).meta({ description: '`out`: the edge starts at this entity.' }),
    label: z.string().meta({ description: 'How it reads from this entity, such as “depends on”.' }),
    entity: z.object({
      id,
      kind: z.string(),
      project_id: id.nullable().meta({ description: 'Links may lead to other projects.' }),
      title: z.string(),
      state: z.string().nullable(),
    }),
  })
  .meta({ id: 'Link', description: 'An edge seen from one of its ends.' });

interface Node {
  id: string;
  order: number;
  children: Node[];
}

export const structureNode: z.ZodType<Node> = z
  .object({
    id,
    order: z.int(),
    get children() {
      return z.array(structureNode);
    },
  })
  .meta({ id: 'StructureNode' });

export const docStructure = z
  .object({
    version: z.int().meta({ description: 'Counts the changes of the structure.' }),
    root: z.array(structureNode),
  })
  .meta({
    id: 'DocStructure',
    description: 'The tree of a project’s documents, in order, without titles or content.',
  });

export const documentMetadata = z
  .object({
    id,
    version: z.int(),
    title: z.string(),
    description: z.string().nullable(),
    content_length: z.int().meta({ description: 'The length of the text after the front matter, in bytes.' }),
    updated_at: time,
  })
  .meta({ id: 'DocumentMetadata' });

export const documentMove = z
  .strictObject({
    parent_id: id.nullable().meta({ description: 'The document to place it below; null: the root.' }),
    order: z
      .int()
      .min(0)
      .max(1_000_000)
      .optional()
      .meta({ description: 'The position among the siblings; last without one.' }),
  })
  .meta({ id: 'DocumentMove' });

export const entityKind = z
  .object({
    kind: z.string(),
    plural: z.string().meta({ description: 'The last part of its routes.' }),
    label: z.object({ one: z.string(), many: z.string() }),
    description: z.string(),
    title_field: z.enum(['title', 'name']),
    fields: z
      .record(z.string(), z.unknown())
      .meta({ description: 'JSON Schema of the fields besides title and state.' }),
    states: z
      .object({ initial: z.string(), transitions: z.record(z.string(), z.array(z.string())) })
      .nullable()
      .meta({
        description: 'Each state with the states that it may change to; null: the kind has no states.',
      }),
    columns: z.array(z.string()).meta({ description: 'The fields that a table shows.' }),
    is_file: z.boolean().meta({ description: 'The entity’s id is its file’s id.' }),
  })
  .meta({ id: 'EntityKind' });

export const relation = z
  .object({
    rel: z.string(),
    forward: z.string(),
    backward: z.string(),
    from: z.array(z.string()).nullable().meta({ description: 'The kinds at its start; null: any.' }),
    to: z.array(z.string()).nullable(),
    acyclic: z.boolean(),
  })
  .meta({ id: 'Relation' });

export type Entity = z.infer<typeof entity>;
export type Edge = z.infer<typeof edge>;
export type EntityKind = z.infer<typeof entityKind>;
export type PatchOperation = z.infer<typeof patchOperation>;
export type DocStructure = z.infer<typeof docStructure>;
