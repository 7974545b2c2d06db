// Unsaved changes to files, stored for the tab: they survive another file and a reload. Before the tab closes, the
// browser asks.

import { useStore, createStore } from '../data/store.ts';

export interface Draft {
  /** The version that the draft is based on. */
  readonly base: number;
  readonly text: string;
  /** The draft is from before the page was loaded, and unchanged since. */
  readonly restored?: true;
}

const PREFIX = 'continuo-file:';
const drafts = createStore<ReadonlyMap<string, Draft>>(readStored());

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
  store(file, draft);
}

function store(file: string, draft: Draft | null): void {
  if (!draft) return sessionStorage.removeItem(PREFIX + file);
  try {
    sessionStorage.setItem(PREFIX + file, JSON.stringify({ base: draft.base, text: draft.text }));
  } catch {
    // Too large for session storage: the old draft must not come back, and the new one lasts as long as the page.
    sessionStorage.removeItem(PREFIX + file);
  }
}

function readStored(): ReadonlyMap<string, Draft> {
  const found = Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX));
  return new Map(
    found.map((key) => {
      const { base, text } = JSON.parse(sessionStorage.getItem(key)!) as Draft;
      return [key.slice(PREFIX.length), { base, text, restored: true }];
    }),
  );
}
