// The change feed of a workspace: one stream for everything on a page that follows it.

import type { Client } from '../client.ts';
import type { WorkspaceChange } from '../events.ts';
import type { StreamState } from '../stream.ts';

interface FeedListener {
  state(state: StreamState): void;
  change(change: WorkspaceChange): void;
  failed(error: Error): void;
}

interface Feed {
  listen(listener: FeedListener): () => void;
}

const feeds = new WeakMap<Client, Map<string, Feed>>();

/** The feed of a workspace; the client's own workspace without a name. */
export function feedOf(client: Client, workspace = ''): Feed {
  const byWorkspace = feeds.get(client) ?? new Map<string, Feed>();
  feeds.set(client, byWorkspace);
  const feed = byWorkspace.get(workspace) ?? newFeed(client, workspace === '' ? undefined : workspace);
  byWorkspace.set(workspace, feed);
  return feed;
}

function newFeed(client: Client, workspace: string | undefined): Feed {
  const listeners = new Set<FeedListener>();
  let state: StreamState = { kind: 'connecting' };
  let following: AbortController | null = null;
  const follow = async (signal: AbortSignal) => {
    const onState = (next: StreamState) => {
      if (signal.aborted) return;
      state = next;
      for (const listener of listeners) listener.state(next);
    };
    try {
      for await (const change of client.workspaces.stream({ workspace, after: 'latest', signal, onState }))
        for (const listener of listeners) listener.change(change);
    } catch (error) {
      // The next listener opens the stream again for all.
      following = null;
      for (const listener of listeners) listener.failed(error as Error);
    }
  };
  return {
    listen: (listener) => {
      listeners.add(listener);
      if (following) listener.state(state);
      else {
        following = new AbortController();
        void follow(following.signal);
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        following?.abort();
        following = null;
      };
    },
  };
}
