// React hooks. They render at most once per frame, however fast events arrive.

import { useMemo, useSyncExternalStore } from 'react';
import type { Client } from '../client.ts';
import { liveChat, type ChatOptions, type ChatShown, type LiveChat } from '../live/chat.ts';
import { liveFile, type FileShown } from '../live/file.ts';
import { liveRun, type RunShown } from '../live/run.ts';
import type { Live } from '../live/store.ts';

export {
  liveChat,
  liveFile,
  liveRun,
  type ChatOptions,
  type ChatShown,
  type FileShown,
  type Live,
  type LiveChat,
  type RunShown,
};

function useLive<S>(live: Live<S>): S {
  return useSyncExternalStore(live.subscribe, live.get, live.get);
}

/** A run, from its first event to its last. */
export function useRun(client: Client, id: string): RunShown {
  return useLive(useMemo(() => liveRun(client, id), [client, id]));
}

/** A chat: the end of its log first, then new events. */
export function useChat(
  client: Client,
  id: string,
  { page }: ChatOptions = {},
): ChatShown & Pick<LiveChat, 'loadOlder'> {
  const live = useMemo(() => liveChat(client, id, { page }), [client, id, page]);
  return { ...useLive(live), loadOlder: live.loadOlder };
}

/** The current content of a file. */
export function useFile(
  client: Client,
  path: string,
  { workspace }: { readonly workspace?: string } = {},
): FileShown {
  return useLive(useMemo(() => liveFile(client, path, workspace), [client, path, workspace]));
}
