// Folders that a person made and that have no file yet. The workspace knows a folder only by the files in it, so this tab keeps them.

import { createStore } from '../data/store.ts';

const KEY = 'continuo-new-folders';

export const newFolders = createStore<ReadonlySet<string>>(
  new Set(JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as string[]),
);

function store(folders: ReadonlySet<string>): void {
  sessionStorage.setItem(KEY, JSON.stringify([...folders]));
  newFolders.set(folders);
}

export function addFolder(path: string): void {
  store(new Set([...newFolders.get(), path]));
}

/** Forgets a folder, with those in it. */
export function forgetFolder(path: string): void {
  const kept = [...newFolders.get()].filter((each) => each !== path && !each.startsWith(`${path}/`));
  if (kept.length < newFolders.get().size) store(new Set(kept));
}
