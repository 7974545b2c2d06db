// The live content of a file.

import type { Client } from '../client.ts';
import { ApiError } from '../errors.ts';
import { retryWhileTemporary, type StreamState } from '../stream.ts';
import { feedOf } from './feed.ts';
import { createLive, type Live } from './store.ts';

export interface FileShown {
  /** Null until the file is loaded, and if it does not exist. */
  readonly text: string | null;
  readonly version: number | null;
  readonly loading: boolean;
  readonly connection: StreamState;
  /** Also `file_not_found`: the file may still be created. */
  readonly error: Error | null;
}

export function liveFile(client: Client, path: string, workspace?: string): Live<FileShown> {
  // The path as the change feed reports it.
  const canonicalPath = `/${path.normalize('NFC').replace(/^\//, '')}`;
  let text: string | null = null;
  let version: number | null = null;
  let loading = true;
  let stream: StreamState = { kind: 'connecting' };
  /** Set while a read of the file is retried. */
  let retrying: StreamState | null = null;
  let error: Error | null = null;
  return createLive<FileShown>({
    show: () => ({ text, version, loading, connection: retrying ?? stream, error }),
    run: async (signal, changed) => {
      let reading = new AbortController();
      const stop = () => {
        reading.abort();
        retrying = null;
      };
      const read = async () => {
        stop();
        const { signal: current } = (reading = new AbortController());
        const onState = (state: StreamState) => {
          if (current.aborted || state.kind !== 'reconnecting') return;
          retrying = state;
          changed();
        };
        const fetchContent = async () => {
          const content = await client.files.read(path, { workspace, signal: current });
          return [await content.text(), content.version] as const;
        };
        try {
          const now = await retryWhileTemporary(fetchContent, { signal: current, onState });
          if (current.aborted) return;
          [text, version] = now;
          error = null;
        } catch (cause) {
          if (current.aborted) return;
          if (cause instanceof ApiError && cause.status === 404) [text, version] = [null, null];
          error = cause as Error;
        }
        retrying = null;
        loading = false;
        changed();
      };
      const unsubscribe = feedOf(client, workspace).listen({
        state: (state) => {
          // Read after the stream is open, so that no change is missed in between.
          if (state.kind === 'open') void read();
          stream = state;
          changed();
        },
        change: ({ data }) => {
          if (!('path' in data)) return;
          if (data.path === canonicalPath || data.from === canonicalPath) void read();
        },
        failed: (cause) => {
          stop();
          error = cause;
          loading = false;
          changed();
        },
      });
      signal.addEventListener('abort', () => {
        unsubscribe();
        stop();
      });
    },
  });
}
