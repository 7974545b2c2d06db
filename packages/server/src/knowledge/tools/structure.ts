// The document structure of a project as models are shown it: with titles, descriptions and lengths, without content, and without
// the documents that the model may not read.

import { readStructure, type DocumentMetadata, type StructureNode } from '../structure.ts';
import { mayRead, placesOf, type KnowledgeToolWorld } from './shared.ts';

/** Maximum number of characters of a structure: about 4,000 tokens. */
const STRUCTURE_CHARACTERS = 16_000;

interface ShownNode {
  readonly id: string;
  readonly order: number;
  readonly title: string;
  readonly description?: string;
  readonly content_length: number;
  readonly children: readonly ShownNode[];
  /** How many documents are below it that are not shown. */
  readonly below?: number;
}

export interface ShownStructure {
  readonly version: number;
  readonly root: readonly ShownNode[];
}

/** Null if there is no such project. */
export async function readReadableStructure(
  world: Pick<KnowledgeToolWorld, 'pool' | 'rules'>,
  workspaceId: string,
  projectId: string,
): Promise<ShownStructure | null> {
  const read = await readStructure(world.pool, workspaceId, projectId);
  if (!read) return null;
  const ids = read.documents.map(({ id }) => id);
  const [places, isReadable] = await Promise.all([
    placesOf(world.pool, workspaceId, ids),
    mayRead(world, workspaceId),
  ]);
  const known = new Map(
    read.documents.filter(({ id }) => isReadable(places.get(id) ?? '')).map((each) => [each.id, each]),
  );
  const { version, root } = read.structure;
  return fitted(version, shown(root, known));
}

/** The nodes that may be shown. The children of one that may not take its place. */
function shown(
  nodes: readonly StructureNode[],
  known: ReadonlyMap<string, DocumentMetadata>,
): readonly ShownNode[] {
  return nodes.flatMap(({ id, order, children }) => {
    const below = shown(children, known);
    const about = known.get(id);
    if (!about) return below;
    const { title, description, content_length } = about;
    return [{ id, order, title, ...(description && { description }), content_length, children: below }];
  });
}

/** Leaves out descriptions, then the lower levels, then the last documents, until the rest is short enough. */
function fitted(version: number, root: readonly ShownNode[]): ShownStructure {
  const isShort = (nodes: readonly ShownNode[]) => JSON.stringify(nodes).length <= STRUCTURE_CHARACTERS;
  if (isShort(root)) return { version, root };
  for (const depth of [Infinity, 4, 3, 2, 1]) {
    const cut = upTo(root, depth);
    if (isShort(cut)) return { version, root: cut };
  }
  const top = upTo(root, 1);
  let count = top.length;
  while (count > 1 && !isShort(top.slice(0, count))) count = Math.floor(count / 2);
  return { version, root: top.slice(0, count) };
}

function upTo(nodes: readonly ShownNode[], depth: number): readonly ShownNode[] {
  return nodes.map(({ description: _, children, ...node }) => {
    if (depth > 1) return { ...node, children: upTo(children, depth - 1) };
    const below = countOf(children);
    return { ...node, children: [], ...(below > 0 && { below }) };
  });
}

function countOf(nodes: readonly ShownNode[]): number {
  return nodes.reduce((sum, { children }) => sum + 1 + countOf(children), 0);
}
