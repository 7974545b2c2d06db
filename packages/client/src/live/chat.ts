// The live state of a chat: the end of its log first, then new events, and older events on request.

import { applyEvent, foldView, newView, prependEvents, type ChatView } from '@continuo/protocol';
import type { Client } from '../client.ts';
import { retryWhileTemporary, type StreamState } from '../stream.ts';
import { createLive, type Live } from './store.ts';

export interface ChatShown {
  /** Mutated in place: compare versions. */
  readonly view: ChatView;
  readonly version: number;
  /** The first events are still loading. */
  readonly loading: boolean;
  readonly connection: StreamState;
  /** A permanent error: retrying would not help. */
  readonly error: Error | null;
  /** Whether the log has events before those in the view. */
  readonly older: 'more' | 'loading' | 'none';
}

export interface LiveChat extends Live<ChatShown> {
  /** Loads the previous page; does nothing if there is none or it is loading. */
  loadOlder(this: void): Promise<void>;
}

const PAGE = 1000;

export interface ChatOptions {
  /** Events per page, at most 1000. */
  readonly page?: number | undefined;
}

export function liveChat(client: Client, id: string, { page = PAGE }: ChatOptions = {}): LiveChat {
  const view = newView();
  let loading = true;
  let older: ChatShown['older'] = 'none';
  let connection: StreamState = { kind: 'connecting' };
  let error: Error | null = null;
  let notify = () => {};
  const live = createLive<ChatShown>({
    show: () => ({ view, version: view.version, loading: loading && !error, connection, error, older }),
    run: async (signal, changed) => {
      notify = changed;
      error = null;
      const onState = (state: StreamState) => {
        if (signal.aborted) return;
        connection = state;
        changed();
      };
      try {
        if (loading) {
          const end = () => client.threads.events(id, { before: 'latest', limit: page }, { signal });
          const { items, next } = await retryWhileTemporary(end, { signal, onState });
          if (signal.aborted) return;
          foldView(items, view);
          older = next === null ? 'none' : 'more';
          loading = false;
        }
        for await (const event of client.threads.stream(id, { after: view.seq, signal, onState })) {
          applyEvent(view, event);
          changed();
        }
      } catch (cause) {
        if (!signal.aborted) error = cause as Error;
      }
      changed();
    },
  });
  const loadOlder = async () => {
    if (older !== 'more') return;
    older = 'loading';
    notify();
    try {
      const { items, next } = await client.threads.events(id, { before: view.firstSeq, limit: page });
      prependEvents(view, items);
      older = next === null ? 'none' : 'more';
    } catch (cause) {
      older = 'more';
      throw cause;
    } finally {
      notify();
    }
  };
  return { ...live, loadOlder };
}
