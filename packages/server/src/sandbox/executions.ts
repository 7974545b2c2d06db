// The rows of commands: what a person sees of one while it runs and afterwards, and the changes that it proposes.

import { defineTopic } from '../bus/bus.ts';
import { transaction, type Pool, type Queryable } from '../db/pool.ts';
import { asText, CHUNK_BYTES } from '../files/content.ts';
import type { FilePath } from '../files/paths.ts';
import type { ChangedFile, LeftOut } from './difference.ts';
import type { Limit } from './runner.ts';

/** A command began, wrote output, or ended. The key is the run's id, a colon, and the call's id. */
export const EXECUTION_CHANGED = defineTopic<{ readonly workspaceId: string; readonly key: string }>(
  'sandbox.execution_changed',
  {
    encode: ({ workspaceId, key }) => `${workspaceId} ${key}`,
    decode: (text) => {
      const [workspaceId = '', ...key] = text.split(' ');
      return { workspaceId, key: key.join(' ') };
    },
  },
);

export interface ExecutionId {
  readonly runId: string;
  readonly callId: string;
}

export interface ExecutionRow extends ExecutionId {
  readonly workspaceId: string;
  readonly threadId: string;
  readonly command: string;
  readonly cwd: string;
  /** The hosts that it may reach. */
  readonly network: readonly string[];
  readonly output: string;
  readonly outputBytes: number;
  readonly exitCode: number | null;
  readonly endedBy: Limit | null;
  readonly leftOut: readonly LeftOut[];
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

/** A proposed change: the new content of one file. */
export interface ProposedChange {
  readonly path: string;
  /** The version that the command started from; 0: the file is new. */
  readonly base: number;
  readonly size: number;
  readonly isText: boolean;
  /** The version that the file got when the change was applied; null: it was not applied. */
  readonly appliedVersion: number | null;
}

export async function startExecution(
  client: Queryable,
  row: Pick<ExecutionRow, 'workspaceId' | 'threadId' | 'runId' | 'callId' | 'command' | 'cwd' | 'network'>,
): Promise<void> {
  await client.query({
    name: 'start_execution',
    text: `with former as (delete from execution_changes where run_id = $3 and call_id = $4)
      insert into executions (workspace_id, thread_id, run_id, call_id, command, cwd, network)
        values ($1, $2, $3, $4, $5, $6, $7)
      on conflict (run_id, call_id) do update
        set output = '', output_bytes = 0, exit_code = null, ended_by = null, left_out = '[]',
          started_at = clock_timestamp(), ended_at = null`,
    values: [
      row.workspaceId,
      row.threadId,
      row.runId,
      row.callId,
      row.command,
      row.cwd,
      JSON.stringify(row.network),
    ],
  });
}

export async function recordOutput(
  client: Queryable,
  { runId, callId }: ExecutionId,
  output: string,
  bytes: number,
): Promise<void> {
  await client.query({
    name: 'record_output',
    text: `update executions set output = $3, output_bytes = $4
      where run_id = $1 and call_id = $2 and ended_at is null`,
    values: [runId, callId, output, bytes],
  });
}

export interface Ended {
  readonly output: string;
  readonly outputBytes: number;
  readonly exitCode: number | null;
  readonly endedBy: Limit | null;
  readonly leftOut: readonly LeftOut[];
  readonly changes: readonly (ChangedFile & { readonly base: number })[];
  readonly workspaceId: string;
  readonly threadId: string;
}

/** How many commands of a chat keep their proposals: the latest ones. */
const PROPOSALS = 50;

export async function endExecution(pool: Pool, { runId, callId }: ExecutionId, ended: Ended): Promise<void> {
  await transaction(pool, async (client) => {
    await client.query({
      name: 'end_execution',
      text: `update executions set output = $3, output_bytes = $4, exit_code = $5, ended_by = $6, left_out = $7,
          ended_at = clock_timestamp()
        where run_id = $1 and call_id = $2`,
      values: [
        runId,
        callId,
        ended.output,
        ended.outputBytes,
        ended.exitCode,
        ended.endedBy,
        JSON.stringify(ended.leftOut),
      ],
    });
    for (const { path, content, base } of ended.changes) {
      const isText = asText(content) !== null;
      for (let part = 0; part === 0 || part * CHUNK_BYTES < content.length; part += 1)
        await client.query({
          name: 'propose_change',
          text: `insert into execution_changes (workspace_id, run_id, call_id, path, part, base, size, is_text, data)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
          values: [
            ended.workspaceId,
            runId,
            callId,
            path.path,
            part,
            base,
            content.length,
            isText,
            content.subarray(part * CHUNK_BYTES, (part + 1) * CHUNK_BYTES),
          ],
        });
    }
    if (ended.changes.length > 0)
      await client.query({
        name: 'forget_proposals',
        text: `delete from execution_changes where (run_id, call_id) in (
            select run_id, call_id from executions where thread_id = $1 order by started_at desc offset $2
          )`,
        values: [ended.threadId, PROPOSALS],
      });
  });
}

const COLUMNS = `workspace_id as "workspaceId", thread_id as "threadId", run_id as "runId", call_id as "callId",
  command, cwd, network, output, output_bytes::int as "outputBytes", exit_code as "exitCode", ended_by as "endedBy",
  left_out as "leftOut", started_at as "startedAt", ended_at as "endedAt"`;

export async function readExecution(
  client: Queryable,
  { runId, callId }: ExecutionId,
): Promise<ExecutionRow | null> {
  const { rows } = await client.query<Stored>({
    name: 'read_execution',
    text: `select ${COLUMNS} from executions where run_id = $1 and call_id = $2`,
    values: [runId, callId],
  });
  return rows[0] ? parsed(rows[0]) : null;
}

/** The newest execution of a thread with this call id. */
export async function findExecution(
  client: Queryable,
  threadId: string,
  callId: string,
): Promise<ExecutionRow | null> {
  const { rows } = await client.query<Stored>({
    name: 'find_execution',
    text: `select ${COLUMNS} from executions where thread_id = $1 and call_id = $2
      order by started_at desc limit 1`,
    values: [threadId, callId],
  });
  return rows[0] ? parsed(rows[0]) : null;
}

type Stored = Omit<ExecutionRow, 'leftOut' | 'network'> & {
  readonly leftOut: string;
  readonly network: string;
};
const parsed = (row: Stored): ExecutionRow => ({
  ...row,
  leftOut: JSON.parse(row.leftOut) as LeftOut[],
  network: JSON.parse(row.network) as string[],
});

export async function listChanges(
  client: Queryable,
  { runId, callId }: ExecutionId,
): Promise<readonly ProposedChange[]> {
  const { rows } = await client.query<ProposedChange>({
    name: 'list_proposed_changes',
    text: `select path, base, size::int as size, is_text as "isText", applied_version as "appliedVersion"
      from execution_changes
      where run_id = $1 and call_id = $2 and part = 0 order by path`,
    values: [runId, callId],
  });
  return rows;
}

/** Null if the command did not change that file. */
export async function readChange(
  client: Queryable,
  { runId, callId }: ExecutionId,
  { path }: Pick<FilePath, 'path'>,
): Promise<{ readonly base: number; readonly content: Buffer } | null> {
  const { rows } = await client.query<{ base: number; data: Buffer }>({
    name: 'read_proposed_change',
    text: `select base, data from execution_changes where run_id = $1 and call_id = $2 and path = $3 order by part`,
    values: [runId, callId, path],
  });
  return rows[0] ? { base: rows[0].base, content: Buffer.concat(rows.map(({ data }) => data)) } : null;
}

/** Records which versions the files got, in the transaction that writes them. */
export async function recordApplied(
  client: Queryable,
  { runId, callId }: ExecutionId,
  applied: readonly { readonly path: string; readonly version: number }[],
): Promise<void> {
  await client.query({
    name: 'record_applied_changes',
    text: `update execution_changes as change set applied_version = applied.version
      from unnest($3::text[], $4::int[]) as applied (path, version)
      where change.run_id = $1 and change.call_id = $2 and change.path = applied.path and change.part = 0`,
    values: [runId, callId, applied.map(({ path }) => path), applied.map(({ version }) => version)],
  });
}
