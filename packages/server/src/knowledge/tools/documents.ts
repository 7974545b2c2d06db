// The tools of documents: they are read by id or by path, have a place in their project's structure, and are files.

import { z } from 'zod';
import type { AnyTool } from '../../tools/registry.ts';
import { ToolFailure, type CallContext, type Tool } from '../../tools/tool.ts';
import type { DocumentChange } from '../documents.ts';
import { title } from '../kind.ts';
import { document } from '../kinds/document.ts';
import { nameFor as fileNameFor } from '../names.ts';
import { findByPath, inWords, readMetadata, readPaths } from '../structure.ts';
import { changedEntity, detailLines, linkLines } from './entities.ts';
import { readReadableStructure } from './structure.ts';
import {
  change,
  expectedVersion,
  id,
  operationOn,
  placed,
  quoted,
  readablePlaces,
  requireReadable,
  shortSchema,
  type KnowledgeToolWorld,
} from './shared.ts';

/** Maximum number of characters of a document's content in one result; the rest is read as a file. */
const CONTENT_CHARACTERS = 100_000;
/** Maximum number of documents whose metadata one call reads. */
const METADATA = 200;

type InWorkspace = Pick<CallContext, 'workspaceId'>;

export function documentTools(world: KnowledgeToolWorld): readonly AnyTool[] {
  return [
    detailsTool(world),
    createTool(world),
    updateTool(world),
    deleteTool(world),
    moveTool(world),
    metadataTool(world),
    pathTool(world),
    structureTool(world),
  ];
}

// ——— reading

const details = z.strictObject({
  document_id: id.optional(),
  project_id: id.optional(),
  path: z
    .string()
    .min(1)
    .max(2000)
    .optional()
    .describe('Instead of the id, with project_id: titles, as Research/Market'),
});
type Details = z.infer<typeof details>;

function detailsTool(world: KnowledgeToolWorld): Tool<Details> {
  const operation = operationOn(world, { action: 'read', kind: 'document', key: 'document_id' });
  return {
    name: 'get_onto_document_details',
    description: 'Reads a document with its content, by id or by its path in the project.',
    effect: 'pure',
    like: 'read',
    inProjects: true,
    input: details,
    schema: shortSchema(details),
    words: ({ path }) => (path === undefined ? 'Reads a document' : `Reads the document ${quoted(path)}`),
    summary: ({ title: called, id: documentId, version }) =>
      `Read the document ${String(called)} (id ${String(documentId)}), version ${String(version)}.`,
    paths: async (given, context) => {
      const found = await findDocument(world, context, given);
      return found.kind === 'found' ? [...(await readablePlaces(world, context, [found.id])).values()] : [];
    },
    operation: async (given, context, output) => {
      if (output) return operation(given, context, output);
      const found = await findDocument(world, context, given);
      if (found.kind === 'found') return operation({ document_id: found.id }, context);
      return operation(given, context, given.path === undefined ? undefined : { title: quoted(given.path) });
    },
    async run(given, context) {
      const found = await findDocument(world, context, given);
      if (found.kind !== 'found') throw new ToolFailure(found.problem);
      await requireReadable(world, context, { document: found.id });
      const { workspaceId } = context;
      const read = await world.knowledge.documents.read({ client: world.pool, workspaceId }, found.id);
      if (!read)
        throw new ToolFailure(`there is no document with the id ${found.id}; it may have been removed`);
      context.used(read.id);
      const { content, ...entity } = read;
      const isWhole = content.length <= CONTENT_CHARACTERS;
      if (isWhole) context.learned(read.id, entity.content_version as number);
      const rest = isWhole
        ? []
        : [
            `[cut after ${CONTENT_CHARACTERS} of ${content.length} characters; read ${String(entity.path)} shows the rest]`,
          ];
      return {
        id: entity.id,
        title: entity.title,
        version: entity.version,
        path: entity.path,
        text: [
          ...detailLines(document, entity),
          `path: ${String(entity.path)}`,
          ...(await linkLines(world, context, entity.id)),
          '',
          content.slice(0, CONTENT_CHARACTERS).toWellFormed(),
          ...rest,
        ].join('\n'),
      };
    },
  };
}

type Found =
  | { readonly kind: 'found'; readonly id: string }
  | { readonly kind: 'problem'; readonly problem: string };

/** The document that a call names. Suggests only documents that the model may read. */
async function findDocument(
  world: KnowledgeToolWorld,
  { workspaceId }: InWorkspace,
  { document_id, project_id: projectId, path }: Details,
): Promise<Found> {
  if (document_id !== undefined) return { kind: 'found', id: document_id };
  if (path === undefined || projectId === undefined)
    return { kind: 'problem', problem: 'name the document: document_id, or project_id and path' };
  const places = await readablePlaces(world, { workspaceId }, [projectId]);
  if (!places.has(projectId))
    return {
      kind: 'problem',
      problem: `there is no project with the id ${projectId}; list_onto_projects lists them`,
    };
  const all = await readPaths(world.pool, projectId);
  const readable = await readablePlaces(
    world,
    { workspaceId },
    all.map((each) => each.id),
  );
  const found = await findByPath(world.pool, {
    workspaceId,
    projectId,
    path,
    among: all.filter((each) => readable.has(each.id)),
  });
  if (found.kind === 'found') return found;
  if (found.kind === 'ambiguous')
    return {
      kind: 'problem',
      problem: `several documents end with ${quoted(path)}: ${found.paths.join(', ')}. Name more of the path`,
    };
  const hint =
    found.similar.length > 0
      ? `did you mean ${found.similar.join(' or ')}?`
      : 'get_doc_structure shows the documents of the project';
  return { kind: 'problem', problem: `there is no document ${quoted(path)} in this project; ${hint}` };
}

const metadata = z.strictObject({ project_id: id, document_ids: z.array(id).min(1).max(METADATA) });
type Metadata = z.infer<typeof metadata>;

function metadataTool(world: KnowledgeToolWorld): Tool<Metadata> {
  return {
    name: 'get_document_metadata',
    description: 'Reads title, description and length of many documents, without content.',
    effect: 'pure',
    like: 'read',
    inProjects: true,
    input: metadata,
    schema: shortSchema(metadata),
    words: ({ document_ids: ids }) =>
      `Looks up ${ids.length === 1 ? 'a document' : `${ids.length} documents`}`,
    paths: placed(world, 'project_id'),
    operation: async ({ project_id: projectId, document_ids: ids }, context) => {
      const known = await readMetadata(world.pool, context.workspaceId, projectId, ids.slice(0, 3));
      const more = ids.length - known.length;
      const names = known.map((each) => each.title).join(', ');
      const rest = more > 0 ? `${more} ${names === '' ? '' : 'more '}document${more === 1 ? '' : 's'}` : '';
      return {
        action: 'read',
        entity_type: 'document',
        entity_name: [names, rest].filter((part) => part !== '').join(' and '),
      };
    },
    async run({ project_id: projectId, document_ids: ids }, context) {
      await requireReadable(world, context, { project: projectId });
      const places = await readablePlaces(world, context, ids);
      const readable = ids.filter((each) => places.has(each));
      const documents = await readMetadata(world.pool, context.workspaceId, projectId, readable);
      return { documents };
    },
  };
}

const onlyDocument = z.strictObject({ document_id: id });
type OnlyDocument = z.infer<typeof onlyDocument>;

function pathTool(world: KnowledgeToolWorld): Tool<OnlyDocument> {
  return {
    name: 'get_document_path',
    description: 'Reads where a document stands: the titles above it, and its file.',
    effect: 'pure',
    like: 'read',
    inProjects: true,
    input: onlyDocument,
    schema: shortSchema(onlyDocument),
    words: () => 'Looks up where a document stands',
    paths: placed(world, 'document_id'),
    operation: operationOn(world, { action: 'read', kind: 'document', key: 'document_id' }),
    async run({ document_id: documentId }, context) {
      await requireReadable(world, context, { document: documentId });
      const { workspaceId } = context;
      const head = await world.knowledge.documents.readHead({ client: world.pool, workspaceId }, documentId);
      const [found] = head ? await readPaths(world.pool, head.project_id!, [documentId]) : [];
      if (!head || !found)
        throw new ToolFailure(`there is no document with the id ${documentId}; it may have been removed`);
      const path = inWords(found);
      return { id: documentId, title: head.title, path, text: `${path} (file ${String(head.path)})` };
    },
  };
}

const onlyProject = z.strictObject({ project_id: id });
type OnlyProject = z.infer<typeof onlyProject>;

function structureTool(world: KnowledgeToolWorld): Tool<OnlyProject> {
  return {
    name: 'get_doc_structure',
    description: 'Reads the tree of a project’s documents: ids, titles, lengths.',
    effect: 'pure',
    like: 'read',
    inProjects: true,
    input: onlyProject,
    schema: shortSchema(onlyProject),
    words: () => 'Reads the map of the documents',
    paths: placed(world, 'project_id'),
    operation: operationOn(world, { action: 'read', kind: 'project', key: 'project_id' }),
    async run({ project_id: projectId }, context) {
      await requireReadable(world, context, { project: projectId });
      const read = await readReadableStructure(world, context.workspaceId, projectId);
      if (!read)
        throw new ToolFailure(`there is no project with the id ${projectId}; list_onto_projects lists them`);
      return { text: JSON.stringify(read) };
    },
  };
}

// ——— changing

const creation = z.strictObject({
  project_id: id,
  parent_id: id.nullish().describe('The document to place it below'),
  title,
  description: document.fields.shape.description as z.ZodType<string | null | undefined>,
  content: z.string().optional().describe('Markdown'),
});
type Creation = z.infer<typeof creation>;

function createTool(world: KnowledgeToolWorld): Tool<Creation> {
  return {
    name: 'create_onto_document',
    description: 'Creates a document, below the document where it belongs.',
    effect: 'transactional',
    like: 'write',
    inProjects: true,
    input: creation,
    schema: shortSchema(creation),
    words: (given) => `Creates the document ${quoted(given.title)}`,
    paths: async ({ project_id: projectId, parent_id: parentId, title: called }, context) => {
      const folder = await folderOf(world, context, projectId, parentId ?? null);
      return folder === null ? [] : [`${folder}/${fileNameFor(called, 'document')}.md`];
    },
    operation: async (given, _, output) => ({
      action: 'create',
      entity_type: 'document',
      entity_name: given.title,
      ...(output && { entity_id: output.id as string }),
    }),
    async run({ project_id: projectId, parent_id, ...given }, context) {
      const parent = parent_id == null ? {} : { 'parent document': parent_id };
      await requireReadable(world, context, { project: projectId, ...parent }, context.sql);
      const made = await change(world, context, (caller) =>
        world.knowledge.documents.create(caller, { ...given, parent_id: parent_id ?? null }, projectId),
      );
      return written(context, made, 'created', true);
    },
  };
}

const update = z.strictObject({
  document_id: id,
  expected_version: expectedVersion,
  title: title.optional(),
  description: document.fields.shape.description as z.ZodType<string | null | undefined>,
  content: z.string().optional().describe('Replaces all of it'),
});
type Update = z.infer<typeof update>;

function updateTool(world: KnowledgeToolWorld): Tool<Update> {
  return {
    name: 'update_onto_document',
    description: 'Changes a document’s title, description or content.',
    effect: 'transactional',
    like: 'write',
    inProjects: true,
    input: update,
    schema: shortSchema(update),
    words: (given) =>
      given.title === undefined ? 'Changes a document' : `Changes the document ${quoted(given.title)}`,
    paths: async ({ document_id: documentId, title: called }, context) => {
      const path = (await readablePlaces(world, context, [documentId])).get(documentId);
      if (path === undefined) return [];
      if (called === undefined) return [path];
      return [
        ...withFolder(path),
        ...withFolder(`${path.slice(0, path.lastIndexOf('/'))}/${fileNameFor(called, 'document')}.md`),
      ];
    },
    operation: operationOn(world, { action: 'update', kind: 'document', key: 'document_id' }),
    async run({ document_id: documentId, expected_version: expected, ...patch }, context) {
      await requireReadable(world, context, { document: documentId }, context.sql);
      const reader = { client: context.sql, workspaceId: context.workspaceId };
      const before = await world.knowledge.documents.readHead(reader, documentId);
      const isKnown = context.known(documentId) === before?.content_version;
      const made = await change(world, context, (caller) =>
        world.knowledge.documents.update(caller, documentId, patch, expected),
      );
      return written(context, made, 'changed', patch.content !== undefined || isKnown);
    },
  };
}

const removal = z.strictObject({ document_id: id, expected_version: expectedVersion.optional() });
type Removal = z.infer<typeof removal>;

function deleteTool(world: KnowledgeToolWorld): Tool<Removal> {
  return {
    name: 'delete_onto_document',
    description: 'Removes a document with all below it. People can restore it for 30 days.',
    effect: 'transactional',
    like: 'remove',
    inProjects: true,
    input: removal,
    schema: shortSchema(removal),
    words: () => 'Removes a document',
    paths: async ({ document_id: documentId }, context) => {
      const path = (await readablePlaces(world, context, [documentId])).get(documentId);
      return path === undefined ? [] : withFolder(path);
    },
    operation: operationOn(world, { action: 'delete', kind: 'document', key: 'document_id' }),
    async run({ document_id: documentId, expected_version: expected }, context) {
      await requireReadable(world, context, { document: documentId }, context.sql);
      const made = await change(world, context, (caller) =>
        world.knowledge.documents.delete(caller, documentId, expected ?? null),
      );
      return written(context, made, 'removed', false);
    },
  };
}

const moving = z.strictObject({
  document_id: id,
  parent_id: id.nullable().describe('null: the root'),
  order: z.int().min(0).max(1_000_000).optional().describe('From 0; last if absent'),
  expected_version: expectedVersion.optional(),
});
type Moving = z.infer<typeof moving>;

function moveTool(world: KnowledgeToolWorld): Tool<Moving> {
  return {
    name: 'move_onto_document',
    description: 'Moves a document with all below it to another place in the project’s tree.',
    effect: 'transactional',
    like: 'move',
    inProjects: true,
    input: moving,
    schema: { ...shortSchema(moving) },
    words: () => 'Moves a document',
    paths: async ({ document_id: documentId, parent_id: parentId }, context) => {
      const path = (await readablePlaces(world, context, [documentId])).get(documentId);
      const head = path === undefined ? null : await readHead(world, context, documentId);
      if (path === undefined || !head) return [];
      const folder = await folderOf(world, context, head.project_id!, parentId);
      const target = folder === null ? [] : withFolder(`${folder}${path.slice(path.lastIndexOf('/'))}`);
      return [...withFolder(path), ...target];
    },
    operation: operationOn(world, { action: 'update', kind: 'document', key: 'document_id' }),
    async run({ document_id: documentId, parent_id: parentId, order, expected_version: expected }, context) {
      const parent = parentId === null ? {} : { 'parent document': parentId };
      await requireReadable(world, context, { document: documentId, ...parent }, context.sql);
      const made = await change(world, context, (caller) =>
        world.knowledge.documents.move(caller, documentId, { parent_id: parentId, order }, expected ?? null),
      );
      return written(context, made, 'moved', false);
    },
  };
}

function readHead({ pool, knowledge }: KnowledgeToolWorld, { workspaceId }: InWorkspace, documentId: string) {
  return knowledge.documents.readHead({ client: pool, workspaceId }, documentId);
}

/** A document's file, and the folder of the documents below it. */
function withFolder(path: string): readonly string[] {
  return [path, `${path.slice(0, -3)}/`];
}

/** The folder of the documents below a parent, or at the root of a project; null if there is none that the model may read. */
async function folderOf(
  world: KnowledgeToolWorld,
  context: InWorkspace,
  projectId: string,
  parentId: string | null,
): Promise<string | null> {
  const wanted = parentId ?? projectId;
  const path = (await readablePlaces(world, context, [wanted])).get(wanted);
  if (path === undefined) return null;
  return parentId === null ? `${path}/docs` : path.slice(0, -3);
}

/** The result of a change; `isKnown`: the thread knows the document's content after it. */
function written(context: CallContext, made: DocumentChange, did: string, isKnown: boolean) {
  const entity = made.entities[0]!;
  context.used(entity.id);
  if (isKnown) context.learned(entity.id, entity.content_version as number);
  return { ...changedEntity(document, entity, did), path: entity.path };
}
