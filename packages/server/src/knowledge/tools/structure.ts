// The document structure of a project as models are shown it: with titles, descriptions and lengths, without content, and without
// the documents that the model may not read.

import { readStructure, type DocumentMetadata, type StructureNode } from '../structure.ts';
import { mayRead, placesOf, type KnowledgeToolWorld } from './shared.ts';

/** Maximum number of characters of a structure: about 4,000 tokens. */
const STRUCTURE_CHARACTERS = 16_000;
/** What a node has besides its title and description, in JSON, at most. */
const NODE_CHARACTERS = 150;
const DESCRIPTION_CHARACTERS = 200;

type Described = Pick<DocumentMetadata, 'title' | 'description' | 'content_length'>;

interface ShownNode extends Described {
  readonly id: string;
  readonly order: number;
  readonly children: readonly ShownNode[];
  /** How many documents are below it that are not shown. */
  readonly below?: number;
}

export interface ShownStructure {
  readonly version: number;
  readonly root: readonly ShownNode[];
  /** How many documents are not shown anywhere in the structure, if some are at the root. */
  readonly below?: number;
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
  return shownStructure(read.structure, known);
}

/**
 * A structure with the documents that are known. If it would be too long, the documents in `open` and their siblings are shown first, then
 * level by level whole levels; what is not shown is counted. Descriptions are shown as far as there is room. `ratio` is how many tokens a
 * provider counts for one that is estimated.
 */
export function shownStructure(
  { version, root }: { readonly version: number; readonly root: readonly StructureNode[] },
  known: ReadonlyMap<string, Described>,
  { open = [], ratio = 1 }: { readonly open?: readonly string[]; readonly ratio?: number } = {},
): ShownStructure {
  const nodes = knownNodes(root, known);
  const shown = new Set<string>();
  let left = STRUCTURE_CHARACTERS / ratio;
  const addAll = (some: readonly StructureNode[]): boolean => {
    const added = some.filter(({ id }) => !shown.has(id));
    const cost = added.reduce((sum, { id }) => sum + costOf(known.get(id)!.title), 0);
    if (cost > left) return false;
    left -= cost;
    for (const { id } of added) shown.add(id);
    return true;
  };
  const path = open.length === 0 ? [] : nodesAt(nodes, new Set(open));
  for (const siblings of [path, nodes, ...path.map(({ children }) => children)])
    if (!addAll(siblings)) for (const node of siblings) if (!addAll([node])) break;
  for (let level = nodes; level.length > 0; level = level.flatMap(({ children }) => children))
    if (!addAll(level)) break;
  const describe = (text: string | null): string | null => {
    const short = text && text.slice(0, DESCRIPTION_CHARACTERS).toWellFormed();
    const cost = JSON.stringify(short).length;
    if (!short || cost > left) return null;
    left -= cost;
    return short;
  };
  const show = (node: StructureNode): ShownNode => {
    const { title, description, content_length } = known.get(node.id)!;
    const about = {
      id: node.id,
      order: node.order,
      title,
      description: describe(description),
      content_length,
    };
    const children = node.children.filter(({ id }) => shown.has(id)).map(show);
    const below = hiddenIn(node.children, shown);
    return { ...about, children, ...(below > 0 && { below }) };
  };
  const top = nodes.filter(({ id }) => shown.has(id));
  const below = top.length < nodes.length ? hiddenIn(nodes, shown) : 0;
  return { version, root: top.map(show), ...(below > 0 && { below }) };
}

function costOf(title: string): number {
  return NODE_CHARACTERS + JSON.stringify(title).length;
}

/** The nodes that may be shown. The children of one that may not take its place. */
function knownNodes(
  nodes: readonly StructureNode[],
  known: ReadonlyMap<string, unknown>,
): readonly StructureNode[] {
  return nodes.flatMap(({ id, order, children }) => {
    const below = knownNodes(children, known);
    return known.has(id) ? [{ id, order, children: below }] : below;
  });
}

/** The nodes with these ids and all nodes above them, from the root down. */
function nodesAt(nodes: readonly StructureNode[], ids: ReadonlySet<string>): readonly StructureNode[] {
  return nodes.flatMap((node) => {
    const below = nodesAt(node.children, ids);
    return ids.has(node.id) || below.length > 0 ? [node, ...below] : [];
  });
}

function hiddenIn(nodes: readonly StructureNode[], shown: ReadonlySet<string>): number {
  return nodes.reduce(
    (sum, { id, children }) => sum + (shown.has(id) ? 0 : 1) + hiddenIn(children, shown),
    0,
  );
}
