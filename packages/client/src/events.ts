// The events of the server's streams and pages, discriminated by `type`.

import type { EventData, EventType, ThreadEvent } from '@continuo/protocol';
import { jsonOf, type Http, type Schemas } from './http.ts';
import { follow, type Frame, type StreamOptions } from './stream.ts';

/** An event of a run; `id` is its seq in the run, from 1, without gaps. */
export type RunEvent = {
  [T in EventType]: { readonly id: number; readonly type: T; readonly data: EventData[T] };
}[EventType];

type ChangeData = Schemas['Change']['data'];
type Changed<T extends Schemas['Change']['type'], D> = {
  readonly seq: number;
  readonly type: T;
  readonly data: D;
};

/**
 * A change of a workspace: to a file, to an entity or a project's document structure, to a plan or one of its steps. `seq` counts from
 * 1, without gaps.
 */
export type WorkspaceChange = FileChange | EntityChange | PlanStepChange | PlanChange;
export type FileChange = Changed<
  'file_updated' | 'file_moved' | 'file_removed',
  Extract<ChangeData, { path: string }>
>;
export type EntityChange = Changed<'entity_patch', Extract<ChangeData, { entity_type: string }>>;

type PlanStepChange = Changed<'plan_step', Extract<ChangeData, { step_id: string }>>;
type PlanChange = Changed<'plan_changed', Extract<ChangeData, { plan: string; state: string }>>;

/** A run's events after `after`; ends after the last one. */
export function streamRun(http: Http, id: string, options: StreamOptions): AsyncGenerator<RunEvent, void> {
  const path = '/api/runs/{id}/events';
  return follow({
    ...options,
    request: sse(http, path, id),
    page: async (after, signal) =>
      (await pageOf<RunEvent & { at: string }>(http, path, id, { after, signal })).map(
        ({ at: _, ...event }) => ({
          id: String(event.id),
          event,
        }),
      ),
    read: ({ id: at, event, data }) => ({ id: Number(at), type: event, data: JSON.parse(data) }) as RunEvent,
    ends: ({ type, data }) => type === 'state' && data.status !== 'running',
  });
}

/** The events of all runs of a thread after `after`; does not end. */
export function streamThread(
  http: Http,
  id: string,
  options: StreamOptions,
): AsyncGenerator<ThreadEvent, void> {
  const path = '/api/threads/{id}/events';
  return follow({
    ...options,
    request: sse(http, path, id),
    page: async (after, signal) =>
      (await pageOf<ThreadEvent>(http, path, id, { after, signal })).map((event) => ({
        id: String(event.seq),
        event,
      })),
    read: ({ data }) => JSON.parse(data) as ThreadEvent,
    ends: () => false,
  });
}

/** A workspace's change feed; does not end. */
export function streamChanges(
  http: Http,
  workspace: string,
  options: StreamOptions,
): AsyncGenerator<WorkspaceChange, void> {
  return follow({
    ...options,
    request: sse(http, '/api/v1/workspaces/{id}/events', workspace),
    read: ({ id, event, data }: Frame) =>
      ({ seq: Number(id), type: event, data: JSON.parse(data) }) as WorkspaceChange,
    ends: () => false,
  });
}

type Path = Parameters<Http['raw']>[1];

function sse(http: Http, path: Path, id: string) {
  return (after: string | null, signal: AbortSignal): Promise<Response> =>
    http.raw('get', path, {
      path: { id },
      signal,
      query: after === null ? {} : { after },
      headers: { accept: 'text/event-stream' },
    });
}

const PAGE = 1000;

async function pageOf<T>(
  http: Http,
  path: Path,
  id: string,
  { after, signal }: { readonly after: string; readonly signal: AbortSignal },
): Promise<T[]> {
  const query = { format: 'json', after, limit: PAGE };
  return (await jsonOf<{ items: T[] }>(await http.raw('get', path, { path: { id }, signal, query }))).items;
}
