// The chat that is shown: one stream per tab, and none for a tab that nobody has looked at for a while, because a browser opens
// six connections to a server at most. What is known stays; the stream goes on from there.

import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { liveChat, type ChatShown, type LiveChat } from '@continuo/client/react';
import { client } from './client.ts';
import { askForChat } from './queries.ts';

/** How long a tab that is not in sight keeps its stream. */
const HIDDEN_MS = 60_000;
/** Events that are asked for at a time: a few screens. */
const PAGE = 500;

export type ShownChat = ChatShown & Pick<LiveChat, 'loadOlder'>;

let begun: { readonly id: string; readonly live: LiveChat; readonly stop: () => void } | null = null;

/** The chat that the address names is on its way while the code of its page is. */
export function beginChat(path: string): void {
  const id = /^\/chats\/([^/]+)\/?$/.exec(path)?.[1];
  if (id === undefined) return;
  const live = liveChat(client, id, { page: PAGE });
  askForChat(id);
  begun = { id, live, stop: live.subscribe(() => {}) };
}

export function useLiveChat(id: string): ShownChat {
  const live = useMemo(() => liveOf(id), [id]);
  const watched = useMemo(() => whileInSight(live.subscribe), [live]);
  const shown = useSyncExternalStore(watched, live.get);
  // From here on the page listens itself.
  useEffect(() => {
    begun?.stop();
    begun = null;
  }, []);
  return { ...shown, loadOlder: live.loadOlder };
}

/** What was refused, as without the key that was given since, is asked anew. */
function liveOf(id: string): LiveChat {
  return begun?.id === id && begun.live.get().error === null
    ? begun.live
    : liveChat(client, id, { page: PAGE });
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
