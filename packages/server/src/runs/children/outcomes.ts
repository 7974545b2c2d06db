// What an ended child run hands to its parent: its last message, what it changed, and whether it had read untrusted content.

import type { EventData } from '@continuo/protocol';
import type { Queryable } from '../../db/pool.ts';
import { parseStored } from '../../limits/json-depth.ts';

/** Maximum characters of a child's text in its parent's log. The whole text is in the child's own log. */
const TEXT_CHARACTERS = 16_000;
/** Maximum numbers of files and of entities that a child's end lists. */
const LISTED_CHANGES = 200;

export type Outcome = Pick<EventData['child_end'], 'text' | 'files' | 'entities' | 'untrusted'>;

export async function readOutcomes(
  client: Queryable,
  runs: readonly string[],
): Promise<ReadonlyMap<string, Outcome>> {
  if (runs.length === 0) return new Map();
  const { rows } = await client.query<{ run_id: string; type: string; data: string }>({
    name: 'read_child_outcomes',
    text: `select e.run_id, e.type, case when e.type in ('final', 'file_updated', 'entity_patch') then e.data else 'null' end as data
      from runs r
      join events e on e.thread_id = r.thread_id and e.seq between r.first_seq and r.last_seq and e.run_id = r.id
      where r.id = any ($1) and e.type in ('final', 'file_updated', 'entity_patch', 'message', 'tool_end', 'child_end')
        and (e.type in ('final', 'file_updated', 'entity_patch') or (e.data -> 'untrusted')::text = 'true')
      order by e.run_id, e.seq`,
    values: [runs],
  });
  return new Map(
    runs.map((run) => [
      run,
      outcomeOf(rows.filter((row) => row.run_id === run).map(({ type, data }) => [type, parseStored(data)])),
    ]),
  );
}

/** Events without data are those that bring in untrusted content. */
function outcomeOf(events: readonly (readonly [string, unknown])[]): Outcome {
  const files = new Map<string, { path: string; v: number; file: string }>();
  const entities = new Map<string, { entity_type: string; entity_id: string; entity_name?: string }>();
  let text: string | undefined;
  for (const [type, data] of events) {
    if (type === 'final') ({ text } = data as EventData['final']);
    if (type === 'file_updated') {
      const { path, v, file } = data as EventData['file_updated'];
      files.set(file, { path, v, file });
    }
    if (type === 'entity_patch') {
      const { entity_type, entity_id, entity_name } = data as EventData['entity_patch'];
      entities.set(entity_id, { entity_type, entity_id, ...(entity_name !== undefined && { entity_name }) });
    }
  }
  return {
    ...(text !== undefined && { text: text.slice(0, TEXT_CHARACTERS).toWellFormed() }),
    ...(files.size > 0 && { files: [...files.values()].slice(-LISTED_CHANGES) }),
    ...(entities.size > 0 && { entities: [...entities.values()].slice(-LISTED_CHANGES) }),
    ...(events.some(([, data]) => data === null) && { untrusted: true }),
  };
}
