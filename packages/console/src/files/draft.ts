// What was typed into a file and not saved, kept for the tab, also when another file is shown or the page is loaded again. Before
// the tab is closed, the browser asks.

import { useStore, createStore } from '../data/store.ts';

export interface Draft {
  /** The version that it was made from. */
  readonly base: number;
  readonly text: string;
  /** It was typed before the page was loaded, and nothing since. */
  readonly restored?: true;
}

const PREFIX = 'continuo-file:';
const drafts = createStore<ReadonlyMap<string, Draft>>(kept());

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
  keep(file, draft);
}

function keep(file: string, draft: Draft | null): void {
  if (!draft) return sessionStorage.removeItem(PREFIX + file);
  try {
    sessionStorage.setItem(PREFIX + file, JSON.stringify({ base: draft.base, text: draft.text }));
  } catch {
    // More than the browser keeps: an older text must not come back in its place. It stays while the page is open.
    sessionStorage.removeItem(PREFIX + file);
  }
}

function kept(): ReadonlyMap<string, Draft> {
  const found = Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX));
  return new Map(
    found.map((key) => {
      const { base, text } = JSON.parse(sessionStorage.getItem(key)!) as Draft;
      return [key.slice(PREFIX.length), { base, text, restored: true }];
    }),
  );
}
