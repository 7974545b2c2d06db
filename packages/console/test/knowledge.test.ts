// How changes of the feed are applied to what a screen holds, and where a moved document goes.

import { expect, test } from 'vitest';
import type { Entity } from '@continuo/protocol';
import type { Board, EntityPage, Structure, StructureNode } from '../src/knowledge/api.ts';
import {
  applyToBoard,
  applyToEntity,
  applyToList,
  applyToStructure,
  type EntityChange,
} from '../src/knowledge/apply.ts';
import { dropTarget, spotsIn, targetOf, type Target } from '../src/knowledge/tree-moves.ts';
import { operationWords } from '../src/chat/operation.tsx';

const PROJECT = 'p';
const filter = { kind: 'task', projectId: PROJECT, state: null };

const task = (id: string, state = 'todo', version = 1): Entity => ({
  id,
  kind: 'task',
  project_id: PROJECT,
  version,
  title: id,
  state,
  edges: [],
  created_at: '',
  updated_at: '',
  removed_at: null,
});

const created = (seq: number, entity: Entity): EntityChange => ({
  seq,
  entity_type: entity.kind,
  entity_id: entity.id,
  project_id: entity.project_id,
  version: entity.version,
  patch: [{ op: 'add', path: '', value: entity }],
});

const changed = (
  seq: number,
  id: string,
  version: number,
  fields: Record<string, unknown>,
): EntityChange => ({
  seq,
  entity_type: 'task',
  entity_id: id,
  project_id: PROJECT,
  version,
  patch: Object.entries({ ...fields, version }).map(([name, value]) => ({
    op: 'replace' as const,
    path: `/${name}`,
    value,
  })),
});

const board = (todo: readonly Entity[], count = todo.length): Board => ({
  columns: [
    { state: 'todo', count, items: todo },
    { state: 'done', count: 0, items: [] },
  ],
  as_of: 10,
});
const shown = ({ columns }: Board) =>
  columns.map(({ state, count, items }) => `${state} ${count}: ${items.map(({ id }) => id).join(' ')}`);

test('CHAT-4 a board counts what is created, changes its state, is removed', () => {
  let { data } = applyToBoard(board([task('b')]), filter, created(11, task('c')));
  expect(shown(data)).toEqual(['todo 2: b c', 'done 0: ']);
  ({ data } = applyToBoard(data, filter, changed(12, 'b', 2, { state: 'done' })));
  expect(shown(data)).toEqual(['todo 1: c', 'done 1: b']);
  ({ data } = applyToBoard(data, filter, changed(13, 'c', 2, { removed_at: 'now' })));
  expect(shown(data)).toEqual(['todo 0: ', 'done 1: b']);
  expect(applyToBoard(data, filter, changed(13, 'b', 3, { state: 'todo' })).data).toBe(data);
});

test('CHAT-4 a board is read again when it cannot know what has changed', () => {
  const long = board([task('a'), task('b')], 5);
  // A card beyond those that are shown changed its state, or came back.
  expect(applyToBoard(long, filter, changed(11, 'x', 2, { state: 'done' })).stale).toBe(true);
  expect(applyToBoard(long, filter, changed(11, 'x', 2, { removed_at: null })).stale).toBe(true);
  expect(applyToBoard(long, filter, changed(11, 'x', 2, { title: 'X' })).stale).toBeUndefined();
  // A version is missing.
  expect(applyToBoard(long, filter, changed(11, 'a', 3, { title: 'A' })).stale).toBe(true);
  // One of those beyond comes into view.
  expect(applyToBoard(long, filter, changed(11, 'a', 2, { state: 'done' })).stale).toBe(true);
  // A new card is beyond those that are shown.
  const { data, stale } = applyToBoard(long, filter, created(11, task('z')));
  expect(shown(data)).toEqual(['todo 6: a b', 'done 0: ']);
  expect(stale).toBeUndefined();
  expect(applyToBoard(long, filter, { ...created(11, task('z')), project_id: 'other' }).data).toBe(long);
});

test('CHAT-4 a list follows its pages, and each page the changes after its own moment', () => {
  const page = (as_of: number, next: string | null, ...ids: string[]): EntityPage => ({
    items: ids.map((id) => task(id)),
    next,
    as_of,
  });
  const ids = ({ pages }: { pages: readonly EntityPage[] }) =>
    pages.flatMap(({ items }) => items.map(({ id }) => id)).join(' ');
  const whole = { pages: [page(10, 'b', 'a', 'b'), page(12, null, 'c')] };
  expect(ids(applyToList(whole, filter, created(13, task('d'))).data)).toBe('a b c d');
  const cut = { pages: [page(10, 'b', 'a', 'b')] };
  expect(ids(applyToList(cut, filter, created(11, task('d'))).data)).toBe('a b');
  expect(ids(applyToList(whole, filter, changed(13, 'b', 2, { removed_at: 'now' })).data)).toBe('a c');
  expect(applyToList(whole, filter, changed(13, 'aa', 5, { removed_at: null })).stale).toBe(true);
  const todo = { ...filter, state: 'todo' };
  expect(ids(applyToList(whole, todo, changed(13, 'a', 2, { state: 'done' })).data)).toBe('b c');
  expect(applyToList(whole, todo, changed(13, 'aa', 2, { state: 'todo' })).stale).toBe(true);
  // A file that moves changes its project, or becomes a document.
  const gone = { ...changed(13, 'b', 2, { project_id: 'other' }), project_id: 'other' };
  expect(ids(applyToList(whole, filter, gone).data)).toBe('a c');
  const converted = { ...changed(13, 'c', 2, { kind: 'document' }), entity_type: 'document' };
  expect(ids(applyToList(whole, filter, converted).data)).toBe('a b');
  expect(applyToList(whole, filter, changed(13, 'aa', 2, { project_id: PROJECT })).stale).toBe(true);
});

test('CHAT-4 an entity takes the next version, ignores one it has, and is read again after a gap', () => {
  const held = task('a', 'todo', 3);
  expect(applyToEntity(held, changed(1, 'a', 4, { title: 'new' })).data).toMatchObject({
    title: 'new',
    version: 4,
  });
  expect(applyToEntity(held, changed(1, 'a', 3, { title: 'new' })).data).toBe(held);
  expect(applyToEntity(held, changed(1, 'a', 5, { title: 'new' }))).toEqual({ data: held, stale: true });
  expect(applyToEntity(held, changed(1, 'b', 1, { title: 'new' })).data).toBe(held);
});

const node = (id: string, ...children: StructureNode[]): StructureNode => ({ id, order: 0, children });
const metadata = (id: string) => ({
  id,
  version: 1,
  title: id,
  description: null,
  content_length: 0,
  updated_at: '',
});

test('CHAT-4 the map of documents follows titles and places', () => {
  const structure: Structure = {
    version: 1,
    root: [node('a')],
    documents: new Map([['a', metadata('a')]]),
    as_of: 10,
  };
  const document = { ...task('b'), kind: 'document', description: 'B', content_length: 2 };
  const add: EntityChange = {
    seq: 12,
    entity_type: 'doc_structure',
    entity_id: PROJECT,
    project_id: PROJECT,
    version: 2,
    patch: [
      { op: 'add', path: '/root/1', value: node('b') },
      { op: 'replace', path: '/version', value: 2 },
    ],
  };
  const known = applyToStructure(structure, PROJECT, created(11, document)).data;
  const { data, stale } = applyToStructure(known, PROJECT, add);
  expect(data.root.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(data.documents.get('b')).toEqual({ ...metadata('b'), description: 'B', content_length: 2 });
  expect(stale).toBeUndefined();
  // Without its metadata, it must be read.
  expect(applyToStructure(structure, PROJECT, add).stale).toBe(true);
  // The same if many documents change places at once, and the patch has the whole root.
  const whole: EntityChange = {
    ...add,
    patch: [
      { op: 'replace', path: '/root', value: [node('b'), node('a')] },
      { op: 'replace', path: '/version', value: 2 },
    ],
  };
  expect(applyToStructure(known, PROJECT, whole).data.root.map(({ id }) => id)).toEqual(['b', 'a']);
  expect(applyToStructure(known, PROJECT, whole).stale).toBeUndefined();
  expect(applyToStructure(structure, PROJECT, whole).stale).toBe(true);
  const renamed = { ...changed(13, 'b', 2, { title: 'B!', path: '/x.md' }), entity_type: 'document' };
  expect(applyToStructure(data, PROJECT, renamed).data.documents.get('b')?.title).toBe('B!');
});

test('ONT-5 where a document goes: up, down, in, out, before, inside and after another', () => {
  const spots = spotsIn([node('a', node('a1'), node('a2')), node('b'), node('c')]);
  const spot = (id: string) => spots.get(id)!;
  const go = (parent_id: string | null, order: number): Target => ({ parent_id, order });
  expect(targetOf(spot('b'), 'up')).toEqual(go(null, 0));
  expect(targetOf(spot('b'), 'down')).toEqual(go(null, 2));
  expect(targetOf(spot('b'), 'in')).toEqual(go('a', 2));
  expect(targetOf(spot('a1'), 'out')).toEqual(go(null, 1));
  expect([targetOf(spot('a'), 'up'), targetOf(spot('a'), 'in'), targetOf(spot('a'), 'out')]).toEqual([
    null,
    null,
    null,
  ]);
  expect(dropTarget(spot('a'), spot('c'), 'before')).toEqual(go(null, 1));
  expect(dropTarget(spot('c'), spot('a'), 'after')).toEqual(go(null, 1));
  expect(dropTarget(spot('b'), spot('a'), 'inside')).toEqual(go('a', 2));
  expect(dropTarget(spot('a1'), spot('a'), 'inside')).toEqual(go('a', 1));
  expect(dropTarget(spot('a'), spot('a2'), 'after')).toBeNull();
  expect(dropTarget(spot('a'), spot('a'), 'before')).toBeNull();
});

test('CHAT-5 operations read as sentences', () => {
  const words = (
    action: 'create' | 'search' | 'list' | 'delete',
    status: 'start' | 'success' | 'error',
    name: string,
    kind = 'document',
  ) => operationWords({ action, status, entity_type: kind, entity_name: name });
  expect(words('create', 'start', 'Moon')).toBe('Creating document “Moon”…');
  expect(words('create', 'success', 'Moon')).toBe('Created document “Moon”');
  expect(words('search', 'start', 'moon')).toBe('Searching documents for “moon”…');
  expect(words('search', 'success', 'moon', 'project')).toBe('Searched for “moon”');
  expect(words('list', 'success', 'Documents of Apollo')).toBe('Listed documents of Apollo');
  expect(words('delete', 'error', 'Moon')).toBe('Could not remove document “Moon”');
});
