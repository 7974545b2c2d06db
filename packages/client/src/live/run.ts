// The live state of a run.

import { applyEvent, newView, type Turn } from '@continuo/protocol';
import type { Client } from '../client.ts';
import type { StreamState } from '../stream.ts';
import { createLive, type Live } from './store.ts';

export interface RunShown {
  /** Mutated in place: compare versions. Null until the first event. */
  readonly turn: Turn | null;
  readonly version: number;
  readonly connection: StreamState;
  readonly error: Error | null;
}

export function liveRun(client: Client, id: string): Live<RunShown> {
  const view = newView();
  let connection: StreamState = { kind: 'connecting' };
  let error: Error | null = null;
  return createLive<RunShown>({
    show: () => ({ turn: view.turns[0] ?? null, version: view.version, connection, error }),
    run: async (signal, changed) => {
      error = null;
      const onState = (state: StreamState) => {
        if (signal.aborted) return;
        connection = state;
        changed();
      };
      try {
        for await (const event of client.runs.stream(id, { after: view.seq, signal, onState })) {
          // A run's stream has no times, and its ids are seqs of the run.
          applyEvent(view, { ...event, seq: event.id, run_id: id, run_seq: event.id, at: null });
          changed();
        }
      } catch (cause) {
        error = cause as Error;
      }
      changed();
    },
  });
}
