// The memory of a thread, as its actor keeps it: summaries after a turn, and the agent state.

import { expect, test } from 'vitest';
import type { EventData, EventType } from '@continuo/protocol';
import { replayWhole } from '../../src/runs/loop/replay.ts';
import { historyAfterSummary } from '../../src/context/summary.ts';
import { createLoop, useLog } from './support.ts';

const world = useLog();

const say = (text: string) => ({ steps: [{ text }] });

async function told<T extends EventType>(threadId: string, type: T): Promise<EventData[T][]> {
  const events = await world.log(threadId);
  return events.flatMap((event) => (event.type === type ? [event.data as EventData[T]] : []));
}

/** Plays turns, each with a long answer. */
async function talk(threadId: string, turns: number, from = 1) {
  const loop = await createLoop(world);
  const runs: string[] = [];
  for (let turn = from; turn < from + turns; turn += 1) {
    runs.push(
      await world.run(threadId, say(`Answer ${turn}: the code is K${turn}42. ${'So it goes. '.repeat(60)}`)),
    );
    await loop.work(await loop.hold(threadId));
  }
  return { loop, runs };
}

test('CTX-4 CTX-5 CTX-6 after a turn, old messages become a summary that is shorter, and the last 8 to 12 stay as they are', async () => {
  const thread = await world.thread();
  await talk(thread, 20);
  const summaries = await told(thread, 'summary');
  expect(summaries.length).toBeGreaterThan(0);
  expect(summaries.map(({ version }) => version)).toEqual(summaries.map((_, at) => at + 1));
  for (const { tokens, text } of summaries) {
    expect(tokens.summary).toBeLessThan(tokens.replaced / 2);
    expect(tokens.summary).toBeLessThanOrEqual(2000);
    expect(text).toContain('K142');
  }
  const { history, memory } = await replayWhole(world.pool, thread);
  const shown = historyAfterSummary(history, memory);
  const verbatim = shown.filter(({ entry }) => entry.role === 'user' || entry.role === 'assistant');
  expect(verbatim.length).toBeGreaterThanOrEqual(8);
  expect(shown).toEqual(history.slice(-shown.length));
  // A stretch is summarized once.
  const { work, hold } = await createLoop(world);
  await work(await hold(thread));
  expect(await told(thread, 'summary')).toEqual(summaries);
});
