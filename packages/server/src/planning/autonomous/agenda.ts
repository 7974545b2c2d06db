// What is known about an autonomous run when its conductor decides: verdicts, ends of children, results of checks. All of it is in the log.

import type { EventData } from '@continuo/protocol';
import type { Queryable } from '../../db/pool.ts';
import { parseStored } from '../../limits/json-depth.ts';
import { readOutcomes } from '../../runs/children/outcomes.ts';
import type { QueuedRun } from '../../runs/loop/decide.ts';
import type { RunState } from '../../threads/fold.ts';

/** How many characters of the check's output the next round and the judge see: the end. */
const CHECK_CHARACTERS = 4000;

export interface AutonomousDirective {
  readonly mode: 'autonomous';
  readonly check: string | null;
  readonly criteria: readonly string[];
  readonly judge_model: string | null;
}

export const directiveOf = (queued: QueuedRun) => queued.family!.directive as unknown as AutonomousDirective;
export const checkCall = (round: number) => `check${round}`;
export const workOf = (round: number) => `work#${round}`;

export type End = EventData['child_end'];

export interface CheckResult {
  /** Null if the command could not be run. */
  readonly passed: boolean | null;
  readonly output: string;
}

export interface Agenda {
  readonly goal: string;
  readonly verdicts: readonly EventData['verdict'][];
  /** Children that have ended, by their runs. */
  readonly ends: ReadonlyMap<string, End>;
  /** By the id of their call. */
  readonly checks: ReadonlyMap<string, CheckResult>;
  /** Hashes of the contents that files had at the end of a round, by file and version. */
  readonly hashes: ReadonlyMap<string, string>;
  /** What people sent to the run. */
  readonly added: readonly string[];
  /** A child, the check or a message to the run has brought in untrusted content. */
  readonly isUntrusted: boolean;
  /** Model calls of all children. */
  readonly steps: number;
}

export async function readAgenda(client: Queryable, queued: QueuedRun): Promise<Agenda> {
  const { rows } = await client.query<{ type: string; data: string }>({
    name: 'read_autonomous_run',
    text: `select e.type, e.data from runs r join events e on e.thread_id = r.thread_id and e.seq >= r.first_seq and e.run_id = r.id
      where r.id = $1 and e.type in ('verdict', 'child_end', 'tool_end', 'message') order by e.seq`,
    values: [queued.id],
  });
  const ends = new Map<string, End>();
  const checks = new Map<string, CheckResult>();
  const verdicts: EventData['verdict'][] = [];
  const added: string[] = [];
  let isUntrusted = false;
  for (const { type, data } of rows) {
    const event = parseStored(data);
    isUntrusted ||= (event as { untrusted?: true }).untrusted === true;
    if (type === 'verdict') verdicts.push(event as EventData['verdict']);
    if (type === 'child_end') ends.set((event as End).run, event as End);
    if (type === 'tool_end')
      checks.set((event as EventData['tool_end']).call, checkResult(event as EventData['tool_end']));
    if (type === 'message' && (event as EventData['message']).steer)
      added.push((event as EventData['message']).content);
  }
  const fresh = queued.family?.ended ?? [];
  const outcomes = await readOutcomes(
    client,
    fresh.map(({ run }) => run),
  );
  for (const { run, thread, status, error } of fresh)
    ends.set(run, { child: '', run, thread, status, ...outcomes.get(run), ...(error && { error }) });
  const about = await client.query<{ goal: string; steps: number }>({
    name: 'read_autonomous_goal',
    text: `select readable(m.content) ->> 'text' as goal, coalesce((select b.steps from budgets b where b.run_id = $2), 0) as steps
      from messages m where m.id = $1`,
    values: [queued.message.id, queued.id],
  });
  isUntrusted ||= [...ends.values()].some((end) => end.untrusted);
  const hashes = await readHashes(client, ends);
  return { ...about.rows[0]!, verdicts, ends, checks, added, isUntrusted, hashes };
}

function checkResult({ output, success }: EventData['tool_end']): CheckResult {
  const {
    exit_code: code,
    ended_by: endedBy,
    text,
    error,
  } = output as {
    exit_code?: number | null;
    ended_by?: string;
    text?: string;
    error?: string;
  };
  if (!success || (code === undefined && endedBy === undefined))
    return { passed: null, output: error ?? 'no result' };
  return {
    passed: code === 0 && endedBy === undefined,
    output: (text ?? '').slice(-CHECK_CHARACTERS).toWellFormed(),
  };
}

/** Only what the watchdog needs: the contents of files that rounds left behind. */
async function readHashes(
  client: Queryable,
  ends: ReadonlyMap<string, End>,
): Promise<ReadonlyMap<string, string>> {
  const files = [...ends.values()].flatMap((end) => end.files ?? []);
  if (files.length === 0) return new Map();
  const { rows } = await client.query<{ file_id: string; version: number; hash: string }>({
    name: 'read_hashes_of_rounds',
    text: `select v.file_id, v.version, v.path || (v.op = 'remove') || encode(v.hash, 'hex') as hash
      from unnest($1::uuid[], $2::int[]) as left_behind (file, version)
      join file_versions v on v.file_id = left_behind.file and v.version = left_behind.version`,
    values: [files.map(({ file }) => file), files.map(({ v }) => v)],
  });
  return new Map(rows.map(({ file_id, version, hash }) => [versionKey(file_id, version), hash]));
}

export const versionKey = (file: string, version: number) => `${file} ${version}`;

type Child = RunState['children'][number];

export async function readChildren(client: Queryable, runId: string): Promise<readonly Child[]> {
  const { rows } = await client.query<{ data: string }>({
    name: 'read_autonomous_children',
    text: `select e.data from runs r join events e on e.thread_id = r.thread_id and e.seq >= r.first_seq and e.run_id = r.id
      where r.id = $1 and e.type = 'child_start' order by e.seq`,
    values: [runId],
  });
  return rows.map(({ data }) => {
    const { child, run, thread } = JSON.parse(data) as EventData['child_start'];
    return { child, run, thread, status: 'open' };
  });
}
