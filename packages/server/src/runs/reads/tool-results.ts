// A call with its full input and result, from the log.

import type { EventData, ToolResult } from '@continuo/protocol';
import type { Queryable } from '../../db/pool.ts';
import { parseStored } from '../../limits/json-depth.ts';

const ID = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):([^\0]{1,200})$/;

interface ToolResultId {
  readonly runId: string;
  readonly call: string;
}

/** The id of a tool result is `<run id>:<call id>`. Null if this is none. */
export function parseToolResultId(id: string): ToolResultId | null {
  const [, runId, call] = ID.exec(id) ?? [];
  return runId === undefined || call === undefined ? null : { runId, call };
}

/** Null if the call has not ended or does not exist. */
export async function readToolResult(
  client: Queryable,
  { runId, call }: ToolResultId,
): Promise<ToolResult | null> {
  const { rows } = await client.query<{
    type: 'approval' | 'tool_start' | 'tool_end';
    data: string;
    at: Date;
  }>({
    name: 'read_tool_result',
    // The database's JSON functions refuse NUL. So the query matches the text, and the parsed events are checked below.
    text: `select e.type, e.data, e.at from runs r
      join threads t on t.id = r.thread_id and t.removed_at is null
      join events e on e.thread_id = r.thread_id and e.seq >= r.first_seq and e.run_id = r.id
      where r.id = $1 and e.type in ('approval', 'tool_start', 'tool_end') and position($2 in e.data::text) > 0
      order by e.seq`,
    values: [runId, `"call":${JSON.stringify(call)}`],
  });
  const events = rows.flatMap(({ type, data, at }) => {
    const value = parseStored(data) as EventData['tool_start'] & EventData['tool_end'];
    return value.call === call ? [{ type, value, at }] : [];
  });
  // A call that was refused has an approval and no start.
  const asked = events.findLast(({ type }) => type === 'approval');
  const start = events.findLast(({ type }) => type === 'tool_start');
  const end = events.findLast(({ type }) => type === 'tool_end');
  if (!end) return null;
  const { tool, output, success, outcome, summary, sources } = end.value;
  return {
    id: `${runId}:${call}`,
    run_id: runId,
    call,
    tool,
    ...(start?.value.title !== undefined && { title: start.value.title }),
    input: (start ?? asked)?.value.input ?? null,
    output,
    success,
    ...(outcome && { outcome }),
    ...(summary !== undefined && { summary }),
    sources: [...(sources ?? [])],
    ended_at: end.at.toISOString(),
  };
}
