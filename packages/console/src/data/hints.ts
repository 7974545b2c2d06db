// What keeps lists alive without asking again and again: the workspace's hints. One tab listens for all tabs of the browser
// that show the workspace, because a browser opens six connections to a server at most; the others hear of it from that tab.

import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { Hint } from '@continuo/client';
import { access, client, workspace } from './client.ts';
import { chatChanged, keys } from './queries.ts';
import { createStore } from './store.ts';

/** Whether the server answers, as far as this browser knows. */
export const connection = createStore<'connecting' | 'open' | 'lost'>('connecting');

const NAME = `continuo-hints:${workspace}`;

type Said = { readonly kind: 'open' | 'lost' } | { readonly kind: 'hint'; readonly hint: Hint };

export function listenToHints(queries: QueryClient): void {
  const others = new BroadcastChannel(NAME);
  const hear = (said: Said) => {
    if (said.kind === 'hint') return take(queries, said.hint);
    const again = said.kind === 'open' && connection.get() !== 'open';
    connection.set(said.kind);
    if (again) void queries.invalidateQueries();
  };
  const tell = (said: Said) => {
    hear(said);
    others.postMessage(said);
  };
  others.addEventListener('message', ({ data }: MessageEvent<Said | 'how is it?'>) => {
    if (data !== 'how is it?') hear(data);
    else if (speaker && connection.get() !== 'connecting') others.postMessage({ kind: connection.get() });
  });
  let speaker = false;
  const speak = async () => {
    speaker = true;
    await follow(tell);
  };
  others.postMessage('how is it?');
  // Locks are for pages over https and on this machine; others listen for themselves.
  if ('locks' in navigator) void navigator.locks.request(NAME, speak);
  else void speak();
}

async function follow(tell: (said: Said) => void): Promise<never> {
  for (;;) {
    await unlocked();
    try {
      const hints = client.workspaces.hints({
        onState: ({ kind }) => {
          if (kind === 'open') tell({ kind: 'open' });
          if (kind === 'reconnecting') tell({ kind: 'lost' });
        },
      });
      for await (const hint of hints) tell({ kind: 'hint', hint });
    } catch {
      // Refused: without the key, which is being asked for, or by a server that is another one now.
      tell({ kind: 'lost' });
      if (access.get() === 'open') await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** How soon a server that refused is asked again. */
const RETRY_MS = 3000;

function unlocked(): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (access.get() !== 'open') return;
      stop();
      resolve();
    };
    const stop = access.subscribe(look);
    look();
  });
}

function take(queries: QueryClient, { chats, files, servers }: Hint): void {
  for (const chat of chats) {
    const anew = () => void chatChanged(queries, chat);
    anew();
    for (const key of [keys.chats, keys.chat(chat)]) afterFirstReads(queries, key, anew);
    readAgain(queries, keys.why(chat));
  }
  if (chats.length > 0) {
    readAgain(queries, keys.approvals);
    readAgain(queries, keys.runs);
  }
  if (files) readAgain(queries, keys.files);
  if (servers) readAgain(queries, keys.servers);
}

function readAgain(queries: QueryClient, queryKey: QueryKey): void {
  const anew = () => void queries.invalidateQueries({ queryKey });
  anew();
  afterFirstReads(queries, queryKey, anew);
}

/** What is being read for the first time may come as it was before the hint, and counts as fresh once it is there. */
function afterFirstReads(queries: QueryClient, queryKey: QueryKey, then: () => void): void {
  const reading = queries
    .getQueryCache()
    .findAll({ queryKey, fetchStatus: 'fetching', predicate: ({ state }) => state.data === undefined });
  for (const { promise } of reading) promise?.then(then, () => undefined);
}
