// Which folders of the tree are open, kept for the tab.

import { createStore } from '../data/store.ts';

const KEY = 'continuo-folders';

export const unfolded = createStore<ReadonlySet<string>>(
  new Set(JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as string[]),
);

function keep(folders: Set<string>): void {
  sessionStorage.setItem(KEY, JSON.stringify([...folders]));
  unfolded.set(folders);
}

export function setFolder(path: string, open: boolean): void {
  const folders = new Set(unfolded.get());
  if (open) folders.add(path);
  else folders.delete(path);
  keep(folders);
}

/** Opens every folder on the way to a path. */
export function unfoldTo(path: string): void {
  const missing = foldersAbove(path).filter((folder) => !unfolded.get().has(folder));
  if (missing.length > 0) keep(new Set([...unfolded.get(), ...missing]));
}

/** The folders that a path is in, without the topmost. */
export function foldersAbove(path: string): string[] {
  const names = path.split('/').slice(1, -1);
  return names.map((_name, index) => `/${names.slice(0, index + 1).join('/')}`);
}
