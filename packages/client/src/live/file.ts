// A file as it is now, whoever writes it. All files of a workspace share one stream.

import type { Client } from '../client.ts';
import { ApiError } from '../errors.ts';
import type { FileChange } from '../events.ts';
import type { StreamState } from '../stream.ts';
import { createLive, type Live } from './store.ts';

export interface FileShown {
  /** Null while it is not known, and of a file that is not there. */
  readonly text: string | null;
  readonly version: number | null;
  readonly loading: boolean;
  readonly connection: StreamState;
  /** `file_not_found` as well: it may come yet. */
  readonly error: Error | null;
}

export function liveFile(client: Client, path: string, workspace?: string): Live<FileShown> {
  let text: string | null = null;
  let version: number | null = null;
  let loading = true;
  let connection: StreamState = { kind: 'connecting' };
  let error: Error | null = null;
  return createLive<FileShown>({
    show: () => ({ text, version, loading, connection, error }),
    run: async (signal, changed) => {
      let asked = 0;
      const read = async () => {
        const turn = (asked += 1);
        try {
          const content = await client.files.read(path, { workspace, signal });
          const now = await content.text();
          if (turn !== asked) return;
          [text, version, error] = [now, content.version, null];
        } catch (cause) {
          if (turn !== asked || signal.aborted) return;
          if (cause instanceof ApiError && cause.status === 404) [text, version] = [null, null];
          error = cause as Error;
        }
        loading = false;
        changed();
      };
      const leave = feedOf(client, workspace).listen({
        state: (state) => {
          // Read once the stream is there, so that nothing is missed between the two.
          if (state.kind === 'open') void read();
          connection = state;
          changed();
        },
        change: ({ data }) => {
          if (data.path === path || data.from === path) void read();
        },
        failed: (cause) => {
          error = cause;
          loading = false;
          changed();
        },
      });
      signal.addEventListener('abort', leave);
    },
  });
}

interface FeedListener {
  state(state: StreamState): void;
  change(change: FileChange): void;
  failed(error: Error): void;
}

interface Feed {
  listen(listener: FeedListener): () => void;
}

const feeds = new WeakMap<Client, Map<string, Feed>>();

function feedOf(client: Client, workspace = ''): Feed {
  const known = feeds.get(client) ?? new Map<string, Feed>();
  feeds.set(client, known);
  const feed = known.get(workspace) ?? newFeed(client, workspace === '' ? undefined : workspace);
  known.set(workspace, feed);
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
