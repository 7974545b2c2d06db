// Reads the facts of a thread: its open runs with the requests to them, and the requests to the thread itself.

import type { ApprovalDecision, AttachedFile, ThreadScope } from '@continuo/protocol';
import type { Queryable } from '../../db/pool.ts';
import type { StoredPrincipal } from '../../identity/principal.ts';
import { parseStored } from '../../limits/json-depth.ts';
import type { Family } from '../children/conductor.ts';
import type { StateEdit } from './edit-state.ts';
import type { Facts, Limits, SentMessage } from '../loop/decide.ts';

export interface FactRow {
  readonly workspace_id: string;
  readonly stop: boolean;
  readonly pinged_at: Date | null;
  readonly title_wanted: boolean;
  readonly state_edits: string | null;
  readonly ordinal: number;
  readonly model: string;
  readonly role: string;
  readonly limits: string | null;
  readonly queued_at: Date;
  readonly cancel_reason: string | null;
  readonly message_id: string;
  /** Only set for the next run. */
  readonly content: string | null;
  readonly pause: boolean;
  readonly rewind_to: number | null;
  readonly steers: string | null;
  readonly decisions: string | null;
  readonly principal: string | null;
  /** Null for a run with neither a parent nor a directive. */
  readonly family: string | null;
  readonly is_child: boolean;
  /** Null if the thread has no open run, and the row describes only the thread. */
  readonly id: string | null;
}

/** What a claim returns with it, so that the owner need not query it: the end of the log, and all facts. */
export class ClaimSnapshot {
  readonly seq: number;
  readonly rows: readonly FactRow[];

  constructor(seq: number, rows: readonly FactRow[]) {
    this.seq = seq;
    this.rows = rows;
  }
}

/** News that a wake carries: a cancel of this run is committed. The owner can act on it before it reads the facts. */
export class Canceled {
  readonly run: string;
  readonly reason: string;

  constructor(run: string, reason: string) {
    this.run = run;
    this.reason = reason;
  }

  in<F extends Pick<Facts, 'runs'>>(facts: F): F {
    const runs = facts.runs.map((run) =>
      this.run === run.id ? { ...run, cancel: run.cancel ?? this.reason } : run,
    );
    return { ...facts, runs };
  }
}

export async function takeFacts(
  client: Queryable,
  hold: { readonly threadId: string; readonly attempt: number },
  defaults: Limits,
): Promise<Omit<Facts, 'now'>> {
  const { rows } = await client.query<FactRow>({
    name: 'take_facts',
    text: 'select * from take_facts($1, $2)',
    values: [hold.threadId, hold.attempt],
  });
  return asFacts(rows, defaults);
}

export function asFacts(rows: readonly FactRow[], defaults: Limits): Omit<Facts, 'now'> {
  const thread = rows[0];
  return {
    workspaceId: thread?.workspace_id ?? null,
    stop: thread?.stop ?? false,
    pingedAt: thread?.pinged_at?.getTime() ?? null,
    titleWanted: thread?.title_wanted ?? false,
    isChild: thread?.is_child ?? false,
    stateEdits: thread?.state_edits ? (JSON.parse(thread.state_edits) as StateEdit[]) : [],
    runs: rows.flatMap((row) => (row.id === null ? [] : [asRun(row, row.id, defaults)])),
  };
}

function asRun(row: FactRow, id: string, defaults: Limits): Facts['runs'][number] {
  return {
    id,
    ordinal: row.ordinal,
    message: sent(row.message_id, row.content === null ? { text: '' } : (JSON.parse(row.content) as Content)),
    model: row.model,
    role: row.role,
    limits: row.limits === null ? defaults : { ...defaults, ...(JSON.parse(row.limits) as Partial<Limits>) },
    queuedAt: row.queued_at.getTime(),
    cancel: row.cancel_reason,
    workspaceId: row.workspace_id,
    principal: JSON.parse(row.principal!) as StoredPrincipal,
    pause: row.pause,
    rewindTo: row.rewind_to,
    steers: row.steers === null ? [] : steersOf(row.steers),
    decisions: row.decisions === null ? NONE : decisionsOf(row.decisions),
    ...(row.family !== null && { family: parseStored(row.family) as Family }),
  };
}

/** The content of a message row. */
interface Content {
  readonly text: string;
  readonly files?: readonly AttachedFile[];
  readonly scope?: ThreadScope;
  readonly untrusted?: true;
}

const NONE: Facts['runs'][number]['decisions'] = new Map();

function sent(id: string, { text, ...more }: Content): SentMessage {
  return { id, content: text, ...more };
}

function steersOf(json: string): SentMessage[] {
  const rows = JSON.parse(json) as { id: string; content: Content }[];
  return rows.map(({ id, content }) => sent(id, content));
}

function decisionsOf(json: string): Facts['runs'][number]['decisions'] {
  const rows = parseStored(json) as {
    approval: string;
    decision: ApprovalDecision | 'expired';
    input: unknown;
    comment: string | null;
  }[];
  return new Map(rows.map(({ approval, ...made }) => [approval, made]));
}
