// The hints of a workspace: what has changed. Hints have no ids: after each new connection, read everything again once.

import type { Http } from './http.ts';
import { follow, type StreamOptions } from './stream.ts';

export interface Hint {
  /** Ids of changed chats. */
  readonly chats: readonly string[];
  readonly files: boolean;
  /** Whether MCP servers, or their states, have changed. */
  readonly servers: boolean;
  /** Whether schedules, webhooks or triggers have changed, or one of them was used. */
  readonly automation: boolean;
  /** The commands that began, wrote output or ended: the ids of `executions`. */
  readonly executions: readonly string[];
}

export function streamHints(
  http: Http,
  workspace: string,
  { signal, onState }: Omit<StreamOptions, 'after'>,
): AsyncGenerator<Hint, void> {
  return follow({
    signal,
    onState,
    request: (_after, inner) =>
      http.raw('get', '/api/v1/workspaces/{id}/hints', {
        path: { id: workspace },
        signal: inner,
        headers: { accept: 'text/event-stream' },
      }),
    read: ({ data }) => JSON.parse(data) as Hint,
    ends: () => false,
  });
}
