// Where a document goes when it is moved by a key or dropped. Pure.

import type { StructureNode } from './api.ts';

export interface Spot {
  readonly node: StructureNode;
  readonly parent: Spot | null;
  readonly siblings: readonly StructureNode[];
  readonly index: number;
}

/** The target of a move: `order` is the position among the new siblings. */
export interface Target {
  readonly parent_id: string | null;
  readonly order: number;
}

export type Direction = 'up' | 'down' | 'in' | 'out';
export type Zone = 'before' | 'inside' | 'after';

export function spotsIn(root: readonly StructureNode[]): ReadonlyMap<string, Spot> {
  const spots = new Map<string, Spot>();
  const visit = (siblings: readonly StructureNode[], parent: Spot | null) =>
    siblings.forEach((node, index) => {
      const spot = { node, parent, siblings, index };
      spots.set(node.id, spot);
      visit(node.children, spot);
    });
  visit(root, null);
  return spots;
}

/** Null: it cannot go there. */
export function targetOf({ parent, siblings, index }: Spot, direction: Direction): Target | null {
  const parentId = parent?.node.id ?? null;
  switch (direction) {
    case 'up':
      return index === 0 ? null : { parent_id: parentId, order: index - 1 };
    case 'down':
      return index === siblings.length - 1 ? null : { parent_id: parentId, order: index + 1 };
    case 'in': {
      const before = siblings[index - 1];
      return before ? { parent_id: before.id, order: before.children.length } : null;
    }
    case 'out':
      return parent && { parent_id: parent.parent?.node.id ?? null, order: parent.index + 1 };
  }
}

/** Null: a document cannot be dropped on itself or below itself. */
export function dropTarget(dragged: Spot, onto: Spot, zone: Zone): Target | null {
  for (let above: Spot | null = onto; above; above = above.parent)
    if (above.node.id === dragged.node.id) return null;
  if (zone === 'inside') {
    const { children, id } = onto.node;
    return { parent_id: id, order: children.filter((child) => child.id !== dragged.node.id).length };
  }
  const sameParent = dragged.parent?.node.id === onto.parent?.node.id;
  const order = onto.index + (zone === 'after' ? 1 : 0);
  return {
    parent_id: onto.parent?.node.id ?? null,
    order: sameParent && dragged.index < order ? order - 1 : order,
  };
}

/** How many documents are below a node. */
export function countBelow({ children }: StructureNode): number {
  return children.reduce((sum, child) => sum + 1 + countBelow(child), 0);
}
