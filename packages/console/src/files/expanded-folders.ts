// The expanded folders of the tree, stored for the tab.

import { createStore } from '../data/store.ts';

const KEY = 'continuo-folders';

export const expandedFolders = createStore<ReadonlySet<string>>(
  new Set(JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as string[]),
);

function store(folders: Set<string>): void {
  sessionStorage.setItem(KEY, JSON.stringify([...folders]));
  expandedFolders.set(folders);
}

export function setExpanded(path: string, open: boolean): void {
  const folders = new Set(expandedFolders.get());
  if (open) folders.add(path);
  else folders.delete(path);
  store(folders);
}

/** Expands every folder on the way to a path. */
export function expandTo(path: string): void {
  const missing = foldersAbove(path).filter((folder) => !expandedFolders.get().has(folder));
  if (missing.length > 0) store(new Set([...expandedFolders.get(), ...missing]));
}

/** The folders above a path, without the root. */
export function foldersAbove(path: string): string[] {
  const names = path.split('/').slice(1, -1);
  return names.map((_name, index) => `/${names.slice(0, index + 1).join('/')}`);
}
