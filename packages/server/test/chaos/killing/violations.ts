// What must be true of every run that was acknowledged, whatever happened to the pods: of its log, of what its
// follower saw, and of the effects that its tools left in the world.

import { brokenInvariants, type TestDatabase } from '@continuo/testkit/fixtures';
import type { PlayedRun } from './load.ts';
import type { Effect } from './script.ts';

interface Row {
  run_id: string;
  run_seq: number;
  type: string;
  json: string;
  data: EventData;
}

/** The fields that are looked at. */
interface EventData {
  readonly text?: string;
  readonly ended?: string;
  readonly status?: string;
  readonly call?: string;
  readonly success?: boolean;
  readonly outcome?: string;
  readonly parts?: readonly {
    kind: string;
    callId?: string;
    tool?: string;
    input?: { value?: { note?: string } };
  }[];
}

interface MadeCall {
  readonly run: string;
  readonly call: string;
  readonly tool: Effect;
  readonly note: string;
}

/** What is wrong, in words; nothing, if all is well. */
export async function violations(database: TestDatabase, runs: readonly PlayedRun[]): Promise<string[]> {
  const { pool } = database;
  const { rows } = await pool.query<Row>(
    'select run_id, run_seq, type, data::text as json, data from events where run_id is not null order by thread_id, seq',
  );
  const logs = Map.groupBy(rows, (row) => row.run_id);
  const wrong = await brokenInvariants(pool);
  wrong.push(...(await lostOrDoubledRuns(database, runs)));
  const calls: MadeCall[] = [];
  for (const run of runs) {
    const log = logs.get(run.id) ?? [];
    wrong.push(...checkEnd(run, log), ...checkStream(run, log), ...checkSteps(run, log));
    calls.push(...madeCalls(run.id, log));
  }
  wrong.push(...(await messageRows(database, runs)));
  wrong.push(...(await effects(database, calls, logs)));
  return wrong;
}

/** Every acknowledged message has its run, and a repeated request has made no second one. */
async function lostOrDoubledRuns({ pool }: TestDatabase, runs: readonly PlayedRun[]): Promise<string[]> {
  const threads = [...new Set(runs.map((run) => run.threadId))];
  const { rows } = await pool.query<{ id: string }>('select id from runs where thread_id = any ($1)', [
    threads,
  ]);
  const stored = new Set(rows.map((row) => row.id));
  const acknowledged = new Set(runs.map((run) => run.id));
  return [
    ...runs.filter((run) => !stored.has(run.id)).map((run) => `run ${run.id} was acknowledged and is lost`),
    ...rows
      .filter((row) => !acknowledged.has(row.id))
      .map((row) => `run ${row.id} was made twice of one request`),
  ];
}

function checkEnd(run: PlayedRun, log: readonly Row[]): string[] {
  const status = log.findLast((row) => row.type === 'state')?.data.status;
  const final = log.find((row) => row.type === 'final')?.data.text;
  if (status !== 'done')
    return [
      `run ${run.id} ended ${status}: ${log
        .slice(-3)
        .map((row) => row.json)
        .join(' ')}`,
    ];
  return final === run.script.steps.at(-1)!.text ? [] : [`run ${run.id}: its final text is ${final}`];
}

/** What the follower saw is what the table holds, byte for byte: nothing lost, nothing seen that was not committed. */
function checkStream(run: PlayedRun, log: readonly Row[]): string[] {
  const stored = log.map((row) => `event: ${row.type}\nid: ${row.run_seq}\ndata: ${row.json}\n\n`);
  const at = run.frames.findIndex((frame, index) => frame.raw !== stored[index]);
  if (at < 0 && run.frames.length === stored.length) return [];
  const place = at < 0 ? Math.min(run.frames.length, stored.length) : at;
  return [
    `run ${run.id}: event ${place + 1} was seen as ${run.frames[place]?.raw} and is stored as ${stored[place]}`,
  ];
}

/** Every step of the script was finished exactly once, in order, with its calls. */
function checkSteps(run: PlayedRun, log: readonly Row[]): string[] {
  const wrong: string[] = [];
  const ends = log.filter((row) => row.type === 'message_end');
  const { steps } = run.script;
  if (ends.length !== steps.length)
    wrong.push(`run ${run.id}: ${steps.length} steps, and ${ends.length} finished messages`);
  for (const [index, { data }] of ends.entries()) {
    const expected = steps[index];
    const calls = data
      .parts!.filter((part) => part.kind === 'tool_call')
      .map((part) => `${part.tool} ${part.input?.value?.note}`);
    const planned = (expected?.calls ?? []).map((call) => `${call.tool} ${call.input.note}`);
    if (data.ended !== 'complete') wrong.push(`run ${run.id}: message ${index + 1} ended ${data.ended}`);
    if (data.text !== expected?.text)
      wrong.push(
        `run ${run.id}: message ${index + 1} is ${JSON.stringify(data.text)} instead of ${JSON.stringify(expected?.text)}`,
      );
    if (calls.join() !== planned.join())
      wrong.push(`run ${run.id}: message ${index + 1} calls ${calls.join()} instead of ${planned.join()}`);
  }
  return wrong;
}

function madeCalls(run: string, log: readonly Row[]): MadeCall[] {
  const parts = log.filter((row) => row.type === 'message_end').flatMap((row) => row.data.parts!);
  return parts
    .filter((part) => part.kind === 'tool_call')
    .map((part) => ({
      run,
      call: part.callId!,
      tool: part.tool as Effect,
      note: part.input?.value?.note ?? '',
    }));
}

/** What people read is what the log says. */
async function messageRows({ pool }: TestDatabase, runs: readonly PlayedRun[]): Promise<string[]> {
  const { rows } = await pool.query<{ run_id: string; content: { text: string } }>(
    "select run_id, content from messages where role = 'assistant' and run_id = any ($1) order by ordinal, seq",
    [runs.map((run) => run.id)],
  );
  const said = Map.groupBy(rows, (row) => row.run_id);
  return runs
    .filter(
      (run) =>
        (said.get(run.id) ?? []).map((row) => row.content.text).join('|') !==
        run.script.steps.map((step) => step.text).join('|'),
    )
    .map((run) => `run ${run.id}: its messages are ${JSON.stringify(said.get(run.id))}`);
}

/** Each call was started and ended once, and its effect happened as often as its class promises. */
async function effects(
  { pool }: TestDatabase,
  calls: readonly MadeCall[],
  logs: ReadonlyMap<string, readonly Row[]>,
): Promise<string[]> {
  const wrong: string[] = [];
  const { rows } = await pool.query<{ kind: string; key: string; note: string }>(
    'select kind, key, note from effects',
  );
  const left = Map.groupBy(rows, (row) => row.key);
  for (const { run, call, tool, note } of calls) {
    const name = `run ${run}: ${tool} call ${call}`;
    const of = (type: string) => logs.get(run)!.filter((row) => row.type === type && row.data.call === call);
    const [starts, ends] = [of('tool_start'), of('tool_end')];
    if (starts.length !== 1) wrong.push(`${name} was started ${starts.length} times`);
    if (ends.length !== 1) wrong.push(`${name} was ended ${ends.length} times`);
    const { success, outcome } = ends[0]?.data ?? {};
    if (success !== true && !(tool === 'external' && outcome === 'unknown'))
      wrong.push(`${name} failed: ${ends[0]?.json}`);
    const found = left.get(`${run}:${call}`) ?? [];
    left.delete(`${run}:${call}`);
    if (!allowed(tool, outcome).includes(found.length))
      wrong.push(`${name} (outcome ${outcome ?? 'known'}) took effect ${found.length} times`);
    if (found.some((row) => row.kind !== tool || row.note !== note))
      wrong.push(`${name} left ${JSON.stringify(found)}`);
  }
  const ofRuns = new Set(calls.map(({ run }) => run));
  for (const [key, found] of left) {
    if (ofRuns.has(key.split(':')[0]!)) wrong.push(`${key}: an effect of no call: ${JSON.stringify(found)}`);
  }
  return wrong;
}

function allowed(tool: Effect, outcome: string | undefined): readonly number[] {
  if (tool === 'pure') return [0];
  return tool === 'external' && outcome === 'unknown' ? [0, 1] : [1];
}
