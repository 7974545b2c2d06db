// Whether a run's stream is whole, and whether its log says what its script told it to do.

import type pg from 'pg';
import type { Frame } from '@continuo/testkit';

/** The frames that the log makes, byte for byte; a follower must have seen exactly these. */
export async function storedFrames(pool: pg.Pool, runId: string): Promise<string[]> {
  const { rows } = await pool.query<{ type: string; run_seq: number; data: string }>(
    'select type, run_seq, data::text as data from events where run_id = $1 order by seq',
    [runId],
  );
  return rows.map((row) => `event: ${row.type}\nid: ${row.run_seq}\ndata: ${row.data}\n\n`);
}

/** What is wrong with a run that has ended, in words. */
export function problemsOf(runId: string, frames: readonly Frame[]): string[] {
  const places = frames
    .filter((frame, index) => frame.id !== index + 1)
    .map((frame) => `run ${runId}: event ${frame.id} in place ${frames.indexOf(frame) + 1}`);
  return [...places, ...brokenMessages(runId, frames), ...brokenCalls(runId, frames)];
}

/** The same, of a run that should have done all its steps with success. */
export function problemsOfDone(runId: string, frames: readonly Frame[], steps: number): string[] {
  const of = (type: string) => frames.filter((frame) => frame.event === type);
  const problems = of('tool_end')
    .filter((frame) => frame.data.success !== true)
    .map((frame) => `run ${runId}: a call failed: ${JSON.stringify(frame.data)}`);
  const status = String(frames.at(-1)?.data.status);
  if (status !== 'done')
    problems.push(`run ${runId} ended ${status}: ${JSON.stringify(of('error')[0]?.data)}`);
  if (of('final').length !== 1) problems.push(`run ${runId}: ${of('final').length} final events`);
  const complete = of('message_end').filter((frame) => frame.data.ended === 'complete').length;
  if (complete !== steps) problems.push(`run ${runId}: ${complete} finished steps instead of ${steps}`);
  return [...problems, ...problemsOf(runId, frames)];
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
