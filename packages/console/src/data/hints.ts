// Keeps queries fresh without polling, from the workspace's hints. A browser opens at most six connections to a server,
// so one tab (the leader) listens and broadcasts to the other tabs of the workspace.

import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { Hint } from '@continuo/client';
import { access, client, workspace } from './client.ts';
import { chatChanged, keys } from './queries.ts';
import { createStore } from './store.ts';

/** Whether the server responds, as far as this browser knows. */
export const connection = createStore<'connecting' | 'open' | 'lost'>('connecting');

const NAME = `continuo-hints:${workspace}`;

type TabMessage = { readonly kind: 'open' | 'lost' } | { readonly kind: 'hint'; readonly hint: Hint };

export function listenToHints(queries: QueryClient): void {
  const channel = new BroadcastChannel(NAME);
  const receive = (message: TabMessage) => {
    if (message.kind === 'hint') return applyHint(queries, message.hint);
    const reconnected = message.kind === 'open' && connection.get() !== 'open';
    connection.set(message.kind);
    if (reconnected) void queries.invalidateQueries();
  };
  const broadcast = (message: TabMessage) => {
    receive(message);
    channel.postMessage(message);
  };
  channel.addEventListener('message', ({ data }: MessageEvent<TabMessage | 'state?'>) => {
    if (data !== 'state?') receive(data);
    else if (leads && connection.get() !== 'connecting') channel.postMessage({ kind: connection.get() });
  });
  let leads = false;
  const lead = async () => {
    leads = true;
    await follow(broadcast);
  };
  channel.postMessage('state?');
  // The Locks API needs https or localhost; without it, every tab listens for itself.
  if ('locks' in navigator) void navigator.locks.request(NAME, lead);
  else void lead();
}

async function follow(broadcast: (message: TabMessage) => void): Promise<never> {
  for (;;) {
    await unlocked();
    try {
      const hints = client.workspaces.hints({
        onState: ({ kind }) => {
          if (kind === 'open') broadcast({ kind: 'open' });
          if (kind === 'reconnecting') broadcast({ kind: 'lost' });
        },
      });
      for await (const hint of hints) broadcast({ kind: 'hint', hint });
    } catch {
      // Refused: the key is missing and being asked for, or the address now belongs to another server.
      broadcast({ kind: 'lost' });
      if (access.get() === 'open') await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** How long to wait after a refusal. */
const RETRY_MS = 3000;

function unlocked(): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (access.get() !== 'open') return;
      stop();
      resolve();
    };
    const stop = access.subscribe(check);
    check();
  });
}

function applyHint(queries: QueryClient, { chats, files, servers, automation, executions }: Hint): void {
  for (const chat of chats) {
    const refetch = () => void chatChanged(queries, chat);
    refetch();
    for (const key of [keys.chats, keys.pinnedChats, keys.chat(chat)])
      afterFirstFetches(queries, key, refetch);
    invalidate(queries, keys.why(chat));
    // The focus is not an event of the chat.
    invalidate(queries, keys.focus(chat));
  }
  if (chats.length > 0) {
    invalidate(queries, keys.approvals);
    invalidate(queries, keys.runs);
  }
  if (files) invalidate(queries, keys.files);
  if (servers) invalidate(queries, keys.servers);
  if (automation) invalidate(queries, keys.automation);
  for (const id of executions) invalidate(queries, keys.output(id));
}

function invalidate(queries: QueryClient, queryKey: QueryKey): void {
  const refetch = () => void queries.invalidateQueries({ queryKey });
  refetch();
  afterFirstFetches(queries, queryKey, refetch);
}

/** A first fetch that is in flight may return data from before the hint, which would then count as fresh. */
function afterFirstFetches(queries: QueryClient, queryKey: QueryKey, then: () => void): void {
  const fetching = queries
    .getQueryCache()
    .findAll({ queryKey, fetchStatus: 'fetching', predicate: ({ state }) => state.data === undefined });
  for (const { promise } of fetching) promise?.then(then, () => undefined);
}
