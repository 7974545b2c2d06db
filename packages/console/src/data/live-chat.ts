// The stream of the shown chat: one per tab, and none for a tab that has been hidden for a while, because a browser
// opens at most six connections to a server. The state stays; the stream resumes from its cursor.

import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { liveChat, type ChatShown, type LiveChat } from '@continuo/client/react';
import { client } from './client.ts';
import { prefetchChat } from './queries.ts';

/** How long a hidden tab keeps its stream. */
const HIDDEN_MS = 60_000;
/** Events per page: a few screens. */
const PAGE = 500;

export type ShownChat = ChatShown & Pick<LiveChat, 'loadOlder'>;

let preloaded: { readonly id: string; readonly live: LiveChat; readonly stop: () => void } | null = null;

/** Starts to load the chat of the address while the code of its page is still loading. */
export function preloadChat(path: string): void {
  const id = /^\/chats\/([^/]+)\/?$/.exec(path)?.[1];
  if (id === undefined) return;
  const live = liveChat(client, id, { page: PAGE });
  prefetchChat(id);
  preloaded = { id, live, stop: live.subscribe(() => {}) };
}

export function useLiveChat(id: string): ShownChat {
  const live = useMemo(() => liveChatOf(id), [id]);
  const subscribe = useMemo(() => whileVisible(live.subscribe), [live]);
  const shown = useSyncExternalStore(subscribe, live.get);
  // The page has its own subscription now.
  useEffect(() => {
    preloaded?.stop();
    preloaded = null;
  }, []);
  return { ...shown, loadOlder: live.loadOlder };
}

/** A preloaded chat that was refused, such as for a missing key, is loaded again. */
function liveChatOf(id: string): LiveChat {
  return preloaded?.id === id && preloaded.live.get().error === null
    ? preloaded.live
    : liveChat(client, id, { page: PAGE });
}

function whileVisible(subscribe: LiveChat['subscribe']): LiveChat['subscribe'] {
  return (listener) => {
    let stop: (() => void) | null = subscribe(listener);
    let closing: ReturnType<typeof setTimeout> | undefined;
    const onVisibilityChange = () => {
      clearTimeout(closing);
      if (document.visibilityState === 'visible') stop ??= subscribe(listener);
      else
        closing = setTimeout(() => {
          stop?.();
          stop = null;
        }, HIDDEN_MS);
    };
    document.addEventListener('visibilitychange', onVisibilityChange);
    return () => {
      clearTimeout(closing);
      document.removeEventListener('visibilitychange', onVisibilityChange);
      stop?.();
    };
  };
}
