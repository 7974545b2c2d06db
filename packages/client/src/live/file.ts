// A file as it is now, whoever writes it. All files of a workspace share one stream.

import type { Client } from '../client.ts';
import { ApiError } from '../errors.ts';
import type { FileChange } from '../events.ts';
import { patiently, type StreamState } from '../stream.ts';
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
  // As the server tells of it.
  const own = `/${path.normalize('NFC').replace(/^\//, '')}`;
  let text: string | null = null;
  let version: number | null = null;
  let loading = true;
  let stream: StreamState = { kind: 'connecting' };
  /** While the file itself has to be asked for again. */
  let again: StreamState | null = null;
  let error: Error | null = null;
  return createLive<FileShown>({
    show: () => ({ text, version, loading, connection: again ?? stream, error }),
    run: async (signal, changed) => {
      let reading = new AbortController();
      const stop = () => {
        reading.abort();
        again = null;
      };
      const read = async () => {
        stop();
        const { signal: turn } = (reading = new AbortController());
        const onState = (state: StreamState) => {
          if (turn.aborted || state.kind !== 'reconnecting') return;
          again = state;
          changed();
        };
        const ask = async () => {
          const content = await client.files.read(path, { workspace, signal: turn });
          return [await content.text(), content.version] as const;
        };
        try {
          const now = await patiently(ask, { signal: turn, onState });
          if (turn.aborted) return;
          [text, version] = now;
          error = null;
        } catch (cause) {
          if (turn.aborted) return;
          if (cause instanceof ApiError && cause.status === 404) [text, version] = [null, null];
          error = cause as Error;
        }
        again = null;
        loading = false;
        changed();
      };
      const leave = feedOf(client, workspace).listen({
        state: (state) => {
          // Read once the stream is there, so that nothing is missed between the two.
          if (state.kind === 'open') void read();
          stream = state;
          changed();
        },
        change: ({ data }) => {
          if (data.path === own || data.from === own) void read();
        },
        failed: (cause) => {
          stop();
          error = cause;
          loading = false;
          changed();
        },
      });
      signal.addEventListener('abort', () => {
        leave();
        stop();
      });
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
      // The next listener asks anew, for all.
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
