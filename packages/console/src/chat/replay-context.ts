// Tells components that a transcript is a replay on a run's page. Actions are disabled there.

import { createContext, useContext } from 'react';
import { useParam } from '../app/router.tsx';

/** The id of the replayed chat; null outside of a replay. */
const ReplayedChat = createContext<string | null>(null);

export const ReplayProvider = ReplayedChat.Provider;

export function useIsReplay(): boolean {
  return useContext(ReplayedChat) !== null;
}

/** The id of the shown chat, live or replayed. */
export function useShownChat(): string {
  const here = useParam('chat');
  return useContext(ReplayedChat) ?? here;
}
