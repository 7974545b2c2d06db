// Snapshots of threads: what is kept of a long history, and what a pod reads of a thread that it does not know.

import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { EMPTY, FOLD_VERSION, type ThreadState } from '../../src/threads/fold.ts';
import { estimate } from '../../src/context/history.ts';
import { replay, replayWhole } from '../../src/runs/loop/replay.ts';
import { withinWindow, writeSnapshot } from '../../src/runs/loop/snapshots.ts';
import type { AnyTool } from '../../src/tools/registry.ts';
import { createLoop, play, useLog } from './support.ts';

const world = useLog();

/** Turns of a question and an answer, of about 100 tokens each. */
function talked(turns: number): ThreadState {
  const history = Array.from({ length: turns }, (_, turn) => {
    const runId = uuidv7();
    const text = 'word'.repeat(46);
    return [
      { runId, seq: turn * 2 + 1, entry: { role: 'user' as const, id: `u${turn}`, content: text } },
      {
        runId,
        seq: turn * 2 + 2,
        entry: { role: 'system' as const, content: text },
      },
    ];
  }).flat();
  const known = history.map(({ seq }) => ({ file: `f${seq % 3}`, version: seq, seq }));
  return { ...EMPTY, seq: turns * 2, history, known };
}

test('a state holds whole turns up to the window, and says how many it does not hold', () => {
  const state = talked(10);
  const kept = withinWindow(state, 450);
  expect(kept.history).toEqual(state.history.slice(-8));
  expect(kept.omitted).toEqual({ turns: 6, stale: false });
  expect(kept.known).toEqual([
    { file: 'f1', version: 19, seq: 19 },
    { file: 'f2', version: 20, seq: 20 },
    { file: 'f0', version: 18, seq: 18 },
  ]);
  expect(withinWindow(kept, 250)).toMatchObject({ omitted: { turns: 8 } });
  expect(withinWindow(state, 10)).toMatchObject({ history: state.history.slice(-2), omitted: { turns: 9 } });
  expect(withinWindow(state)).toBe(state);
  expect(kept.history.reduce((sum, { entry }) => sum + estimate(entry), 0)).toBeLessThanOrEqual(450);
});

const snapshots = async (threadId: string) =>
  (
    await world.pool.query<{ seq: number; version: number }>(
      'select seq, version from thread_snapshots where thread_id = $1',
      [threadId],
    )
  ).rows;

const look: AnyTool = {
  name: 'look',
  description: 'Looks.',
  effect: 'pure',
  input: z.object({}),
  run: () => Promise.resolve({ seen: true }),
};
const calls = Array.from({ length: 100 }, () => ({ tool: 'look' }));
/** Makes a log of more than 500 events. */
const LONG = { steps: [{ calls }, { calls }, { calls }, { text: 'seen' }] };

test('after a run that made the log long, a snapshot is stored, and replays begin with it', async () => {
  const { threadId } = await play(world, LONG, { tools: [look] });
  await expect.poll(() => snapshots(threadId)).toHaveLength(1);
  const [{ seq, version } = { seq: 0, version: 0 }] = await snapshots(threadId);
  expect(version).toBe(FOLD_VERSION);
  const whole = await replayWhole(world.pool, threadId);
  expect(seq).toBe(whole.seq);
  expect(await replay(world.pool, threadId)).toEqual({ state: whole, snapshotSeq: seq });

  await world.run(threadId, { steps: [{ text: 'more' }] });
  const loop = await createLoop(world, { tools: [look] });
  await loop.work(await loop.hold(threadId));
  const after = await replayWhole(world.pool, threadId);
  expect(after.seq).toBeGreaterThan(seq);
  expect(await replay(world.pool, threadId)).toEqual({ state: after, snapshotSeq: seq });
});

test('a snapshot of another version is ignored', async () => {
  const { threadId } = await play(world, { steps: [{ text: 'short' }] });
  expect(await snapshots(threadId)).toEqual([]);
  await world.pool.query(
    "insert into thread_snapshots (thread_id, version, seq, state) values ($1, $2, 1, '{}')",
    [threadId, FOLD_VERSION + 1],
  );
  expect(await replay(world.pool, threadId)).toEqual({
    state: await replayWhole(world.pool, threadId),
    snapshotSeq: 0,
  });
});

test('a purge deletes the snapshot', async () => {
  const { threadId } = await play(world, LONG, { tools: [look] });
  await expect.poll(() => snapshots(threadId)).toHaveLength(1);
  await world.pool.query('select purge_thread($1)', [threadId]);
  expect(await snapshots(threadId)).toEqual([]);
});

const contextUsage = async (threadId: string, runId: string) =>
  (await world.log(threadId)).filter((event) => event.runId === runId && event.type === 'context_usage');

test('a run says which turns its state does not hold, and a rewind brings them back', async () => {
  const threadId = await world.thread();
  let loop = await createLoop(world);
  const goOn = async (rewinds: string | null = null) => {
    const runId = await world.run(threadId, { steps: [{ text: 'well' }] });
    await world.pool.query('update runs set rewinds = $2 where id = $1', [runId, rewinds]);
    await loop.work(await loop.hold(threadId));
    return runId;
  };
  await goOn();
  await goOn();
  const third = await goOn();
  await writeSnapshot(world.pool, threadId, withinWindow(await replayWhole(world.pool, threadId), 10));
  expect(await snapshots(threadId)).toHaveLength(1);
  // Another pod, which has no state of the thread in its cache.
  loop = await createLoop(world);
  expect(await contextUsage(threadId, await goOn())).toMatchObject([{ data: { turns_left_out: 2 } }]);
  expect(await contextUsage(threadId, await goOn(third))).toEqual([]);
});
