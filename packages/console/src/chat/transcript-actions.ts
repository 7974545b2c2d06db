// What rows need of their transcript: the variants of a message, and the way to the end.

import type { Turn } from '@continuo/protocol';
import { createContext, useContext } from 'react';
import type { Place } from './variants.ts';

export type Way = 'earlier' | 'later';

export interface TranscriptActions {
  /** The place of a turn among the variants of its message; undefined if there is one variant only. */
  readonly placeOf: (turn: Turn) => Place | undefined;
  readonly choose: (from: Place, way: Way) => void;
  /** The direction in which a person has just switched to a variant, once: that switch moves the focus here, because the pressed one is gone. */
  readonly movedTo: (place: Place) => Way | null;
  /** The last turn of the transcript. */
  readonly last: Turn | null;
  /** Keeps a turn shown while a person edits it; null releases it. */
  readonly hold: (run: string | null) => void;
  /** Goes to the end and stays there. */
  readonly follow: () => void;
}

const NONE: TranscriptActions = {
  placeOf: () => undefined,
  choose: () => undefined,
  movedTo: () => null,
  last: null,
  hold: () => undefined,
  follow: () => undefined,
};

const Context = createContext(NONE);

export const TranscriptActionsProvider = Context.Provider;

export function useTranscriptActions(): TranscriptActions {
  return useContext(Context);
}
