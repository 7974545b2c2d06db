// A chat as it is shown: the end of its log first, then what happens, and older events as somebody asks for them.

import { applyEvent, foldView, newView, prependEvents, type ChatView } from '@continuo/protocol';
import type { Client } from '../client.ts';
import { patiently, type StreamState } from '../stream.ts';
import { createLive, type Live } from './store.ts';

export interface ChatShown {
  /** Changes in place; compare versions. */
  readonly view: ChatView;
  readonly version: number;
  /** Nothing is known yet, and it is on its way. */
  readonly loading: boolean;
  readonly connection: StreamState;
  /** Why nothing more comes; asking again would not help. */
  readonly error: Error | null;
  /** Whether the log has events before those in the view. */
  readonly older: 'more' | 'loading' | 'none';
}

export interface LiveChat extends Live<ChatShown> {
  /** Brings the page before; nothing happens if there is none, or it is on its way. */
  loadOlder(this: void): Promise<void>;
}

const PAGE = 1000;

export interface ChatOptions {
  /** Events of a page, at most 1000. */
  readonly page?: number | undefined;
}

export function liveChat(client: Client, id: string, { page = PAGE }: ChatOptions = {}): LiveChat {
  const view = newView();
  let loading = true;
  let older: ChatShown['older'] = 'none';
  let connection: StreamState = { kind: 'connecting' };
  let error: Error | null = null;
  let changed = () => {};
  const live = createLive<ChatShown>({
    show: () => ({ view, version: view.version, loading: loading && !error, connection, error, older }),
    run: async (signal, tell) => {
      changed = tell;
      error = null;
      const onState = (state: StreamState) => {
        if (signal.aborted) return;
        connection = state;
        tell();
      };
      try {
        if (loading) {
          const end = () => client.threads.events(id, { before: 'latest', limit: page }, { signal });
          const { items, next } = await patiently(end, { signal, onState });
          if (signal.aborted) return;
          foldView(items, view);
          older = next === null ? 'none' : 'more';
          loading = false;
        }
        for await (const event of client.threads.stream(id, { after: view.seq, signal, onState })) {
          applyEvent(view, event);
          tell();
        }
      } catch (cause) {
        if (!signal.aborted) error = cause as Error;
      }
      tell();
    },
  });
  const loadOlder = async () => {
    if (older !== 'more') return;
    older = 'loading';
    changed();
    try {
      const { items, next } = await client.threads.events(id, { before: view.firstSeq, limit: page });
      prependEvents(view, items);
      older = next === null ? 'none' : 'more';
    } catch (cause) {
      older = 'more';
      throw cause;
    } finally {
      changed();
    }
  };
  return { ...live, loadOlder };
}
