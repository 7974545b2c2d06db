// Applies a change of the feed to what a screen holds: the documents of a project, a list, a board, one entity. Each read says
// with `as_of` which changes it has already. A change that cannot be applied, because its entity is not held or a version is
// missing, makes the data stale: it must be read again.

import { applyEntityPatch, PatchError, type Entity, type EntityPatch } from '@continuo/protocol';
import type { Board, EntityPage, Structure, StructureNode } from './api.ts';

export interface EntityChange extends EntityPatch {
  /** The position in the feed. */
  readonly seq: number;
}

/** `stale`: the data must be read again. */
export type Applied<T> = { readonly data: T; readonly stale?: true };

/** The new state of an entity; null if a version is missing in between. */
function patched<T extends { readonly version: number }>(
  held: T | undefined,
  change: EntityChange,
): T | null {
  try {
    return applyEntityPatch(held, change) as unknown as T;
  } catch (error) {
    if (error instanceof PatchError) return null;
    throw error;
  }
}

function isWhole({ patch: [first] }: EntityChange): boolean {
  return first?.op === 'add' && first.path === '';
}

const PLACING = new Set(['/state', '/removed_at', '/project_id', '/kind']);

/** Whether an entity that is not held may have come into a list. */
function mayHaveCome({ patch }: EntityChange): boolean {
  return patch.some(({ path }) => PLACING.has(path));
}

export function applyToEntity(entity: Entity, change: EntityChange): Applied<Entity> {
  if (change.entity_id !== entity.id || change.entity_type === 'doc_structure') return { data: entity };
  const next = patched(entity, change);
  return next ? { data: next } : { data: entity, stale: true };
}

const SHOWN = new Set(['/version', '/title', '/description', '/content_length', '/updated_at']);

export function applyToStructure(
  structure: Structure,
  projectId: string,
  change: EntityChange,
): Applied<Structure> {
  if (change.seq <= structure.as_of) return { data: structure };
  const data = { ...structure, as_of: change.seq };
  if (change.entity_type === 'doc_structure' && change.entity_id === projectId) {
    const next = patched({ version: structure.version, root: structure.root }, change);
    if (!next) return { data: structure, stale: true };
    const complete = added(change).every((id) => structure.documents.has(id));
    return { data: { ...data, ...next }, ...(!complete && { stale: true }) };
  }
  if (change.entity_type !== 'document' || change.project_id !== projectId) return { data: structure };
  const known = structure.documents.get(change.entity_id);
  if (!known && !isWhole(change)) return { data: structure };
  // The map holds a part of a document: its patch is cut to that part.
  const patch = isWhole(change) ? change.patch : change.patch.filter(({ path }) => SHOWN.has(path));
  const next = patched(known, { ...change, patch });
  if (!next) return { data: structure, stale: true };
  const { id, version, title, description, content_length, updated_at } = next;
  const documents = new Map(structure.documents);
  documents.set(id, { id, version, title, description, content_length, updated_at });
  return { data: { ...data, documents } };
}

/** The ids of the documents that a patch adds to a structure, or has in a new root. */
function added({ patch }: EntityChange): string[] {
  const idsIn = ({ id, children }: StructureNode): string[] => [id, ...children.flatMap(idsIn)];
  return patch.flatMap(({ op, path, value }) =>
    op !== 'remove' && op !== 'move' && path.startsWith('/root')
      ? [value].flat().filter(isNode).flatMap(idsIn)
      : [],
  );
}

function isNode(value: unknown): value is StructureNode {
  return typeof value === 'object' && value !== null && 'children' in value;
}

export interface ListFilter {
  readonly kind: string;
  readonly projectId: string | null;
  readonly state: string | null;
}

function isAbout({ entity_type, project_id }: EntityChange, { kind, projectId }: ListFilter): boolean {
  return entity_type === kind && (projectId === null || project_id === projectId);
}

interface Pages {
  readonly pages: readonly EntityPage[];
}

/** Lists are in the order of their ids. */
export function applyToList<T extends Pages>(list: T, filter: ListFilter, change: EntityChange): Applied<T> {
  const fresh = list.pages.every(({ as_of }) => change.seq <= as_of);
  if (fresh) return { data: list };
  const withSeq = (pages: readonly EntityPage[]): T => ({
    ...list,
    pages: pages.map((page) => ({ ...page, as_of: Math.max(page.as_of, change.seq) })),
  });
  if (change.entity_type === 'doc_structure') return { data: list };
  const at = list.pages.findIndex(({ items }) => items.some(({ id }) => id === change.entity_id));
  // One that is held may have gone: a file that moves can change its project, and what kind it is.
  if (at >= 0) {
    const held = list.pages[at]!.items.find(({ id }) => id === change.entity_id)!;
    const next = patched(held, change);
    if (!next) return { data: list, stale: true };
    const replace = belongs(next, filter) ? [next] : [];
    return {
      data: withSeq(
        list.pages.map((page, index) =>
          index === at
            ? { ...page, items: page.items.flatMap((item) => (item === held ? replace : [item])) }
            : page,
        ),
      ),
    };
  }
  if (!isAbout(change, filter)) return { data: list };
  const last = list.pages.at(-1)!;
  const end = last.items.at(-1)?.id ?? '';
  const beyond = last.next !== null && change.entity_id > end;
  if (beyond) return { data: list };
  if (!isWhole(change)) return { data: list, ...(mayHaveCome(change) && { stale: true }) };
  const entity = patched(undefined as Entity | undefined, change)!;
  if (!belongs(entity, filter)) return { data: list };
  if (entity.id < end) return { data: list, stale: true };
  return {
    data: withSeq([...list.pages.slice(0, -1), { ...last, items: [...last.items, entity] }]),
  };
}

function belongs({ kind, project_id, removed_at, state }: Entity, filter: ListFilter): boolean {
  return (
    removed_at === null &&
    kind === filter.kind &&
    (filter.projectId === null || project_id === filter.projectId) &&
    (filter.state === null || state === filter.state)
  );
}

type Column = Board['columns'][number];

export function applyToBoard(board: Board, filter: ListFilter, change: EntityChange): Applied<Board> {
  if (change.seq <= board.as_of) return { data: board };
  const data = { ...board, as_of: change.seq };
  if (!isAbout(change, filter)) return { data: board };
  const held = board.columns.flatMap(({ items }) => items).find(({ id }) => id === change.entity_id);
  if (!held && !isWhole(change)) return { data: board, ...(mayHaveCome(change) && { stale: true }) };
  const next = patched(held, change);
  if (!next) return { data: board, stale: true };
  const columns = board.columns.map((column) =>
    place(held?.state === column.state ? without(column, held) : column, held, next),
  );
  // There may be more than the column shows.
  const short = columns.some(
    ({ items, count, state }, index) =>
      count > items.length && items.length < board.columns[index]!.items.length && held?.state === state,
  );
  return { data: { ...data, columns }, ...(short && { stale: true }) };
}

function without(column: Column, entity: Entity): Column {
  return { ...column, count: column.count - 1, items: column.items.filter(({ id }) => id !== entity.id) };
}

function place(column: Column, held: Entity | undefined, next: Entity): Column {
  if (next.removed_at !== null || next.state !== column.state) return column;
  const whole = column.items.length === column.count;
  const at = column.items.findIndex(({ id }) => id > next.id);
  const shown = whole || at >= 0 || held?.state === next.state;
  const items = shown ? column.items.toSpliced(at < 0 ? column.items.length : at, 0, next) : column.items;
  return { ...column, count: column.count + 1, items };
}
