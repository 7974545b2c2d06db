// What was typed into a file and not saved, kept while the page is open, also when another file is shown. Before the page is
// left for good, the browser asks.

import { useStore, createStore } from '../data/store.ts';

export interface Draft {
  /** The version that it was made from. */
  readonly base: number;
  readonly text: string;
}

const drafts = createStore<ReadonlyMap<string, Draft>>(new Map());

addEventListener('beforeunload', (event) => {
  if (drafts.get().size > 0) event.preventDefault();
});

export function draftOf(file: string): Draft | null {
  return drafts.get().get(file) ?? null;
}

export function useDraft(file: string): Draft | null {
  return useStore(drafts).get(file) ?? null;
}

export function setDraft(file: string, draft: Draft | null): void {
  const next = new Map(drafts.get());
  if (draft) next.set(file, draft);
  else next.delete(file);
  drafts.set(next);
}
