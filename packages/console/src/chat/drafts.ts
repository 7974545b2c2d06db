// What was written and not sent, with what was chosen for it, kept for the tab.

import { useEffect, useState } from 'react';
import { newKey } from '@continuo/client';
import type { Policy } from './pickers.tsx';

interface Draft {
  readonly content: string;
  /** Paths of files that go with it. */
  readonly files: readonly string[];
  /** Empty where the chat's own, or the server's, is meant. */
  readonly role: string;
  readonly model: string;
  readonly policy: Policy;
}

/** A draft on its way, under a key that is the same until it is taken in or changed: sent twice, it is said once. */
export interface Sending extends Draft {
  readonly key: string;
}

interface Kept extends Draft {
  readonly key: string | null;
}

const PREFIX = 'continuo-draft:';
/** What is more than the browser keeps: it stays while the page is open. */
const unkept = new Map<string, Kept>();
const EMPTY: Kept = { content: '', files: [], role: '', model: '', policy: 'enqueue', key: null };

export interface DraftOf {
  readonly draft: Draft;
  readonly change: (change: Partial<Draft> | ((draft: Draft) => Partial<Draft>)) => void;
  /** Sends it as it is now; what is written meanwhile stays. */
  readonly send: (how: (sending: Sending) => Promise<void>) => Promise<void>;
}

export function useDraft(place: string): DraftOf {
  const [draft, setDraft] = useState(() => read(place));
  useEffect(() => write(place, draft), [place, draft]);
  return {
    draft,
    change: (change) =>
      setDraft((now) => ({ ...now, ...(typeof change === 'function' ? change(now) : change), key: null })),
    send: async (how) => {
      const sending = { ...draft, key: draft.key ?? newKey() };
      setDraft((now) => ({ ...now, key: sending.key }));
      await how(sending);
      setDraft((now) => without(now, sending));
      // Nobody may be there any more to keep it.
      write(place, without(read(place), sending));
    },
  };
}

function without(draft: Kept, sent: Draft): Kept {
  const { content } = draft;
  return {
    ...draft,
    content: content.startsWith(sent.content) ? content.slice(sent.content.length).trimStart() : content,
    files: draft.files.filter((file) => !sent.files.includes(file)),
    key: null,
  };
}

function read(place: string): Kept {
  const tooMuch = unkept.get(place);
  if (tooMuch) return tooMuch;
  const kept = sessionStorage.getItem(PREFIX + place);
  return kept === null ? EMPTY : { ...EMPTY, ...(JSON.parse(kept) as Kept) };
}

function write(place: string, draft: Kept): void {
  unkept.delete(place);
  // Also before it is kept: an older text must not come back in its place.
  sessionStorage.removeItem(PREFIX + place);
  if (JSON.stringify({ ...draft, key: null }) === JSON.stringify(EMPTY)) return;
  try {
    sessionStorage.setItem(PREFIX + place, JSON.stringify(draft));
  } catch {
    unkept.set(place, draft);
  }
}
