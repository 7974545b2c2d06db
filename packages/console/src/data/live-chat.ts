// The chat that is shown: one stream per tab, and none for a tab that nobody has looked at for a while, because a browser opens
// six connections to a server at most. What is known stays; the stream goes on from there.

import { useMemo, useSyncExternalStore } from 'react';
import { liveChat, type ChatShown, type LiveChat } from '@continuo/client/react';
import { client } from './client.ts';

/** How long a tab that is not in sight keeps its stream. */
const HIDDEN_MS = 60_000;
/** Events that are asked for at a time: a few screens. */
const PAGE = 500;

export type ShownChat = ChatShown & Pick<LiveChat, 'loadOlder'>;

export function useLiveChat(id: string): ShownChat {
  const live = useMemo(() => liveChat(client, id, { page: PAGE }), [id]);
  const watched = useMemo(() => whileInSight(live.subscribe), [live]);
  return { ...useSyncExternalStore(watched, live.get), loadOlder: live.loadOlder };
}

function whileInSight(subscribe: LiveChat['subscribe']): LiveChat['subscribe'] {
  return (listener) => {
    let stop: (() => void) | null = subscribe(listener);
    let leaving: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(leaving);
      if (document.visibilityState === 'visible') stop ??= subscribe(listener);
      else
        leaving = setTimeout(() => {
          stop?.();
          stop = null;
        }, HIDDEN_MS);
    };
    document.addEventListener('visibilitychange', look);
    return () => {
      clearTimeout(leaving);
      document.removeEventListener('visibilitychange', look);
      stop?.();
    };
  };
}
