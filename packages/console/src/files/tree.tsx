// The file tree. A folder is read when it is expanded, and again when a hint says that files have changed. F2 renames, Del removes, and
// a row is dragged to another folder; the menu of a row has the same.

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { FilePlus2 } from 'lucide-react';
import { ApiError } from '@continuo/client';
import { keys, useChats } from '../data/queries.ts';
import { useStore } from '../data/store.ts';
import { Empty, Failure, Loading } from '../ui/states.tsx';
import { isFixed, useEntryActions, within, type EntryActions } from './entry-actions.tsx';
import { useOpenFile } from './link-to-file.tsx';
import { newFolders } from './new-folders.ts';
import { useFolders, type Entry } from './queries.ts';
import { folderOf, nameOf } from './file-search.ts';
import { RowView, type Row } from './tree-row.tsx';
import { expandedFolders, expandTo, foldersAbove, setExpanded } from './expanded-folders.ts';

/** How many pages of a folder are read to find the open file. */
const MAX_PAGES = 16;

export function Tree({ open }: { readonly open: string }) {
  const [pages, setPages] = useState<ReadonlyMap<string, number>>(new Map());
  const { rows, top, expanded, missing, loading } = useRows(pages);
  const box = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState<string | null>(null);
  const openFile = useOpenFile();
  const actions = useEntryActions(open);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => expandTo(open), [open]);
  useForgetMissing(missing);
  const shown = rows.some(({ path }) => path === open);
  // The open file may be beyond the loaded pages of its folder.
  const hidden =
    !shown &&
    !loading.has(folderOf(open)) &&
    rows.some((row) => row.kind === 'more' && row.folder === folderOf(open));
  const asked = pages.get(folderOf(open)) ?? 1;
  useEffect(() => {
    if (hidden && asked < MAX_PAGES)
      setPages((known) => new Map(known).set(folderOf(open), Math.min(asked * 2, MAX_PAGES)));
  }, [hidden, asked, open]);
  useEffect(() => {
    if (shown) find(box.current, open)?.scrollIntoView({ block: 'nearest' });
  }, [shown, open]);
  useChatsInTree();
  if (top.error && !top.data) return <Failure error={top.error} retry={() => void top.refetch()} />;
  if (!top.data) return <Loading what="files" />;
  if (rows.length === 0)
    return (
      <Empty icon={FilePlus2} title="No files yet">
        Files that agents write, that you create here, or that you put into the folder on disk appear here.
      </Empty>
    );
  const stop = rows.some(({ path }) => path === focused)
    ? focused
    : (rows.find(({ path }) => path === open)?.path ?? rows[0]!.path);
  const focus = (row: Row | undefined) => {
    if (!row) return;
    setFocused(row.path);
    find(box.current, row.path)?.focus();
  };
  const more = (folder: string) => setPages(new Map(pages).set(folder, (pages.get(folder) ?? 1) + 1));
  const activate = (row: Row) => {
    if (row.kind === 'more') return more(row.folder);
    if (row.entry.type === 'file') return openFile(row.path);
    const isOpen = row.path === open;
    setExpanded(row.path, isOpen || !WIDE.matches ? !expanded.has(row.path) : true);
    // On a narrow screen the page of the folder would take the place of the tree.
    if (!isOpen && WIDE.matches) openFile(row.path);
  };
  const moveInto = (dragged: string, folder: string) => {
    const entry = rows.find((row) => row.kind === 'entry' && row.path === dragged);
    setProblem(null);
    if (entry?.kind !== 'entry' || folderOf(dragged) === folder || folder === dragged) return;
    actions
      .move(entry.entry, within(folder, nameOf(dragged)))
      .catch((error: Error) => setProblem(error.message));
  };
  const keyDown = (event: KeyboardEvent) => {
    const at = rows.findIndex(({ path }) => path === stop);
    const row = rows[at];
    // The menu button of a row has its own keys.
    if (!(event.target as HTMLElement).matches('[role=treeitem]')) return;
    if (!row || event.altKey || event.ctrlKey || event.metaKey) return;
    const act = actionFor(event.key, { rows, at, row, expanded, focus, activate, actions });
    if (!act) return;
    event.preventDefault();
    act();
  };
  return (
    <>
      {actions.overlays}
      {(problem ?? actions.problem) && (
        <p
          role="alert"
          className="mx-3 mb-2 rounded-lg bg-bad-wash px-3 py-1.5 text-sm text-bad wrap-anywhere"
        >
          {problem ?? actions.problem}
        </p>
      )}
      <div ref={box} role="tree" aria-label="Files" onKeyDown={keyDown} className="px-2 pb-4">
        {rows.map((row) => (
          <RowView
            key={row.path}
            row={row}
            open={row.path === open}
            expanded={expanded.has(row.path)}
            isStop={row.path === stop}
            activate={() => activate(row)}
            focused={() => setFocused(row.path)}
            actions={actions}
            moveInto={moveInto}
          />
        ))}
      </div>
    </>
  );
}

/** A screen that shows the tree beside what is open. */
const WIDE = matchMedia('(min-width: 64rem)');

function find(tree: HTMLElement | null, path: string): HTMLElement | null {
  return tree?.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"]`) ?? null;
}

/** Collapses folders that do not exist, so that they are not requested again. */
function useForgetMissing(folders: readonly string[]): void {
  useEffect(() => {
    for (const folder of folders) setExpanded(folder, false);
  });
}

/** File hints do not cover chats: when a chat is added, removed or renamed, its folder is read again. */
function useChatsInTree(): void {
  const cache = useQueryClient();
  const paths = useChats()
    .data?.pages.flatMap(({ items }) => items.map(({ path }) => path))
    .join('\n');
  const known = useRef(paths);
  useEffect(() => {
    if (known.current !== undefined && known.current !== paths)
      for (const folder of ['/', '/chats'])
        void cache.invalidateQueries({ queryKey: [...keys.files, 'tree', folder] });
    known.current = paths;
  }, [cache, paths]);
}

interface Moves {
  readonly rows: readonly Row[];
  readonly at: number;
  readonly row: Row;
  readonly expanded: ReadonlySet<string>;
  readonly focus: (row: Row | undefined) => void;
  readonly activate: (row: Row) => void;
  readonly actions: EntryActions;
}

function actionFor(
  key: string,
  { rows, at, row, expanded, focus, activate, actions }: Moves,
): (() => void) | null {
  const folder = row.kind === 'entry' && row.entry.type === 'folder';
  switch (key) {
    case 'ArrowDown':
      return () => focus(rows[at + 1]);
    case 'ArrowUp':
      return () => focus(rows[at - 1]);
    case 'Home':
      return () => focus(rows[0]);
    case 'End':
      return () => focus(rows.at(-1));
    case 'ArrowRight':
      if (!folder) return null;
      return expanded.has(row.path) ? () => focus(rows[at + 1]) : () => setExpanded(row.path, true);
    case 'ArrowLeft':
      if (folder && expanded.has(row.path)) return () => setExpanded(row.path, false);
      return () => focus(rows.find(({ path }) => path === folderOf(row.path)));
    case 'Enter':
    case ' ':
      return () => activate(row);
    case 'F2':
      return isFixed(row.path) || row.kind === 'more' ? null : () => actions.rename(row.path);
    case 'Delete':
      return isFixed(row.path) || row.kind === 'more'
        ? null
        : () => actions.ask({ what: 'remove', subject: row.entry });
    default:
      return null;
  }
}

function useRows(pages: ReadonlyMap<string, number>) {
  const expanded = useStore(expandedFolders);
  const made = useStore(newFolders);
  const shown = [...expanded].filter((path) => foldersAbove(path).every((folder) => expanded.has(folder)));
  const paths = ['/', ...shown.toSorted()];
  const folders = useFolders(paths, pages);
  const found = new Map(paths.map((path, index) => [path, folders[index]!.data]));
  const rowsIn = (folder: string, depth: number): Row[] => {
    const data = found.get(folder);
    const known = new Set(data?.items.map(({ path }) => path));
    const added = [...made]
      .filter((path) => folderOf(path) === folder && !known.has(path))
      .map((path): Entry => ({ type: 'folder', name: nameOf(path), path }));
    const rows = [...added, ...(data?.items ?? [])].flatMap((entry): Row[] => [
      { kind: 'entry', path: entry.path, entry, depth },
      ...(entry.type === 'folder' && expanded.has(entry.path) ? rowsIn(entry.path, depth + 1) : []),
    ]);
    return data?.more ? [...rows, { kind: 'more', path: `${folder}/…`, folder, depth }] : rows;
  };
  const missing = paths.filter((path, index) => {
    const { error } = folders[index]!;
    return error instanceof ApiError && error.status === 404 && !made.has(path);
  });
  const loading = new Set(paths.filter((_path, index) => folders[index]!.isPlaceholderData));
  return { rows: rowsIn('/', 1), top: folders[0]!, expanded, missing, loading };
}
