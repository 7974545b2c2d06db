// Whether a run's stream is whole, and whether its log says what its script told it to do.

import type pg from 'pg';
import type { Frame } from '../../client/api.ts';

/** The frames that the log makes, byte for byte; a follower must have seen exactly these. */
export async function storedFrames(pool: pg.Pool, runId: string): Promise<string[]> {
  const { rows } = await pool.query<{ type: string; run_seq: number; data: string }>(
    'select type, run_seq, data::text as data from events where run_id = $1 order by seq',
    [runId],
  );
  return rows.map((row) => `event: ${row.type}\nid: ${row.run_seq}\ndata: ${row.data}\n\n`);
}

/** What is wrong with a run that should have ended, in words. `done`: it should have ended done. */
export function problemsOf(
  runId: string,
  frames: readonly Frame[],
  { steps }: { steps?: number } = {},
): string[] {
  const problems: string[] = [];
  const say = (what: string): number => problems.push(`run ${runId}: ${what}`);
  frames.forEach((frame, index) => {
    if (frame.id !== index + 1) say(`event ${frame.id} in place ${index + 1}`);
  });
  const of = (type: string) => frames.filter((frame) => frame.event === type);
  if (steps !== undefined) {
    const last = frames.at(-1)?.data.status;
    if (last !== 'done') say(`it ended ${String(last)}: ${JSON.stringify(of('error')[0]?.data)}`);
    if (of('final').length !== 1) say(`${of('final').length} final events`);
    const complete = of('message_end').filter((frame) => frame.data.ended === 'complete');
    if (complete.length !== steps) say(`${complete.length} finished steps instead of ${steps}`);
  }
  problems.push(...brokenMessages(runId, frames), ...brokenCalls(runId, frames));
  return problems;
}

/** Every whole message says what its pieces said. */
function brokenMessages(runId: string, frames: readonly Frame[]): string[] {
  const pieces = new Map<string, string>();
  const broken: string[] = [];
  for (const { event, data } of frames) {
    const message = String(data.message);
    if (event === 'message_start') {
      if (pieces.has(message)) broken.push(`run ${runId}: ${message} begins twice`);
      pieces.set(message, '');
    }
    if (event === 'token') pieces.set(message, (pieces.get(message) ?? '') + String(data.text));
    if (event === 'message_end' && pieces.get(message) !== data.text)
      broken.push(`run ${runId}: ${message} is not its pieces`);
  }
  return broken;
}

interface Part {
  kind: string;
  callId?: string;
}

/** Every call of a whole message has one start at most and exactly one end; nothing else has. */
function brokenCalls(runId: string, frames: readonly Frame[]): string[] {
  const asked = frames
    .filter((frame) => frame.event === 'message_end')
    .flatMap((frame) =>
      (frame.data.parts as Part[]).filter((part) => part.kind === 'tool_call').map((part) => part.callId!),
    );
  const count = (type: string, call: string) =>
    frames.filter((frame) => frame.event === type && frame.data.call === call).length;
  const ends = frames.filter((frame) => frame.event === 'tool_end').map((frame) => String(frame.data.call));
  return [
    ...asked
      .filter((call) => count('tool_end', call) !== 1)
      .map((call) => `run ${runId}: call ${call} ended ${count('tool_end', call)} times`),
    ...asked
      .filter((call) => count('tool_start', call) > 1)
      .map((call) => `run ${runId}: call ${call} started ${count('tool_start', call)} times`),
    ...ends
      .filter((call) => !asked.includes(call))
      .map((call) => `run ${runId}: call ${call} was never asked for`),
  ];
}
