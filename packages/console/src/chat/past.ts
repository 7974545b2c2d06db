// Whether a transcript is shown as it was, on another page than its chat's: what acts is switched off there, because the past
// cannot be decided.

import { createContext, useContext } from 'react';
import { useParam } from '../app/router.tsx';

/** The id of the chat whose past is shown. */
const Past = createContext<string | null>(null);

export const ShowPast = Past.Provider;

export function useIsPast(): boolean {
  return useContext(Past) !== null;
}

/** The id of the chat that is shown, as it is or as it was. */
export function useShownChat(): string {
  const here = useParam('chat');
  return useContext(Past) ?? here;
}
