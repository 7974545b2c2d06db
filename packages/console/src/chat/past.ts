// Whether a transcript is shown as it was: what acts is switched off there, because the past cannot be decided.

import { createContext, useContext } from 'react';

const Past = createContext(false);

export const ShowPast = Past.Provider;

export function useIsPast(): boolean {
  return useContext(Past);
}
