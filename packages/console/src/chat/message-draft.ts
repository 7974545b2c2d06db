// An unsent message with its files, role, model, busy policy and mode, stored for the tab.

import { useEffect, useState } from 'react';
import { newKey } from '@continuo/client';
import { DEFAULT_MODE, type ModeChoice } from './mode.ts';
import type { Policy } from './pickers.tsx';

interface Draft {
  readonly content: string;
  /** Paths of the attached files. */
  readonly files: readonly string[];
  /** Empty: the default of the chat or the server. */
  readonly role: string;
  readonly model: string;
  readonly policy: Policy;
  /** Only of a new chat. */
  readonly mode: ModeChoice;
}

/**
 * A draft being sent. Its idempotency key stays until the server accepts the draft or the person changes it, so that a
 * resent draft is accepted once.
 */
export interface Sending extends Draft {
  readonly key: string;
}

interface StoredDraft extends Draft {
  readonly key: string | null;
}

const PREFIX = 'continuo-draft:';
/** Drafts too large for session storage: they last as long as the page. */
const unstored = new Map<string, StoredDraft>();
const EMPTY: StoredDraft = {
  content: '',
  files: [],
  role: '',
  model: '',
  policy: 'enqueue',
  mode: DEFAULT_MODE,
  key: null,
};

export interface DraftHandle {
  readonly draft: Draft;
  readonly change: (change: Partial<Draft> | ((draft: Draft) => Partial<Draft>)) => void;
  /** Sends the current draft; text typed in the meantime stays. */
  readonly send: (deliver: (sending: Sending) => Promise<void>) => Promise<void>;
}

export function useDraft(place: string): DraftHandle {
  const [draft, setDraft] = useState(() => read(place));
  useEffect(() => write(place, draft), [place, draft]);
  return {
    draft,
    change: (change) =>
      setDraft((now) => ({ ...now, ...(typeof change === 'function' ? change(now) : change), key: null })),
    send: async (deliver) => {
      const sending = { ...draft, key: draft.key ?? newKey() };
      setDraft((now) => ({ ...now, key: sending.key }));
      await deliver(sending);
      setDraft((now) => without(now, sending));
      // The component may be unmounted by now, so its effect would not store the draft.
      write(place, without(read(place), sending));
    },
  };
}

function without(draft: StoredDraft, sent: Draft): StoredDraft {
  const { content } = draft;
  return {
    ...draft,
    content: content.startsWith(sent.content) ? content.slice(sent.content.length).trimStart() : content,
    files: draft.files.filter((file) => !sent.files.includes(file)),
    // Criteria and briefs are about the goal that was sent.
    mode: JSON.stringify(draft.mode) === JSON.stringify(sent.mode) ? DEFAULT_MODE : draft.mode,
    key: null,
  };
}

function read(place: string): StoredDraft {
  const inMemory = unstored.get(place);
  if (inMemory) return inMemory;
  const stored = sessionStorage.getItem(PREFIX + place);
  return stored === null ? EMPTY : { ...EMPTY, ...(JSON.parse(stored) as StoredDraft) };
}

function write(place: string, draft: StoredDraft): void {
  unstored.delete(place);
  // Remove first: if the new draft does not fit, the old one must not come back.
  sessionStorage.removeItem(PREFIX + place);
  if (JSON.stringify({ ...draft, key: null }) === JSON.stringify(EMPTY)) return;
  try {
    sessionStorage.setItem(PREFIX + place, JSON.stringify(draft));
  } catch {
    unstored.set(place, draft);
  }
}
