// A person's change of a chat's agent state. It is a fact that the thread's owner appends to the log; the request is answered after
// that commit.

import { v7 as uuidv7 } from 'uuid';
import type { AgentStateChange, EventData } from '@continuo/protocol';
import { waitForNews } from '../../bus/wait.ts';
import { toStored } from '../../identity/principal.ts';
import { storableText } from '../../log/changes.ts';
import { LOG_APPENDED } from '../../log/notice.ts';
import { readTypes } from '../../log/statements.ts';
import { announceFact, type FactWorld } from './world.ts';

/** How many changes may wait for the owner. */
const WAITING = 100;
/** How long a request waits for the owner. */
const PATIENCE_MS = 20_000;

export type StateEdit = { readonly id: string; readonly by: Readonly<Record<string, unknown>> } & (
  | { readonly change: AgentStateChange }
  | { readonly cleared: true }
);

type Edited =
  /** `refused` are the updates that were not applied. */
  | { readonly ok: true; readonly refused: NonNullable<EventData['agent_state_delta']['refused']> }
  | { readonly ok: false; readonly why: 'too_many' | 'not_yet' };

/** Null clears the state. */
export async function editAgentState(
  world: FactWorld,
  threadId: string,
  change: AgentStateChange | null,
): Promise<Edited> {
  const edit: StateEdit = {
    id: uuidv7(),
    by: { ...toStored(world.principal) },
    ...(change ? { change } : { cleared: true }),
  };
  const { rows } = await world.pool.query<{ owner: string | null }>({
    name: 'edit_agent_state',
    text: `update threads t set state_edits = array_append(t.state_edits, $2::json),
        wake_at = least(t.wake_at, clock_timestamp())
      where t.id = $1 and cardinality(t.state_edits) < $3 returning t.owner`,
    values: [threadId, JSON.stringify(edit, storable), WAITING],
  });
  if (!rows[0]) return { ok: false, why: 'too_many' };
  await announceFact(world, threadId, rows[0].owner);
  const isAppended = await untilAppended(world, threadId, edit.id);
  if (!isAppended) return { ok: false, why: 'not_yet' };
  const deltas = await readTypes(world.pool, threadId, ['agent_state_delta']);
  const own = deltas.findLast(({ type, data }) => type === 'agent_state_delta' && data.edit === edit.id);
  return { ok: true, refused: own?.type === 'agent_state_delta' ? (own.data.refused ?? []) : [] };
}

/** The database cannot look into a JSON text with a NUL or a lone surrogate. */
function storable(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? storableText(value) : value;
}

/** Whether the owner has appended the change, within the time of the request. */
async function untilAppended({ pool, bus }: FactWorld, threadId: string, id: string): Promise<boolean> {
  const waits = async (): Promise<boolean> => {
    const { rows } = await pool.query<{ waits: boolean }>({
      name: 'state_edit_waits',
      text: `select exists (select from unnest(t.state_edits) e where e ->> 'id' = $2) as waits from threads t where t.id = $1`,
      values: [threadId, id],
    });
    return rows[0]?.waits ?? false;
  };
  const stillWaits = await waitForNews(bus, LOG_APPENDED, {
    concerns: ({ threadIds }) => threadIds.includes(threadId),
    read: waits,
    isNews: (still) => !still,
    milliseconds: PATIENCE_MS,
  });
  return !stillWaits;
}
