// Runs that are in progress while a test breaks something, and what must be true of them afterwards.

import type pg from 'pg';
import { expect } from 'vitest';
import { createThread, followToEnd, type Frame } from '@continuo/testkit';
import { brokenInvariants } from '@continuo/testkit/fixtures';
import { insist, post, type Refusal } from './load.ts';
import { problemsOfDone, storedFrames } from './whole.ts';

export interface Finished {
  readonly runId: string;
  readonly note: string;
  readonly frames: readonly Frame[];
  /** What its client was told before its message was accepted. */
  readonly refusals: readonly Refusal[];
}

export interface Busy {
  readonly finished: readonly Finished[];
  /** Rejects if a client fails. */
  readonly failed: Promise<never>;
  /** No more runs are posted; resolves when those that were have ended. */
  stop(): Promise<void>;
}

/** Clients that post two messages to one thread after the other, on one pod and then on another, and follow to the end. */
export function keepBusy(
  urls: readonly string[],
  { clients, tokens }: { clients: number; tokens: number },
): Busy {
  const finished: Finished[] = [];
  let stopping = false;
  const all = Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let turn = 0; !stopping; turn += 1) {
        const bases = (client + turn) % 2 === 0 ? urls : urls.toReversed();
        finished.push(...(await twoRuns(bases, { note: `c${client}.${turn}`, tokens })));
      }
    }),
  );
  const failed = new Promise<never>((_, reject) => void all.catch(reject));
  failed.catch(() => undefined);
  return {
    finished,
    failed,
    stop: async () => {
      stopping = true;
      await all;
    },
  };
}

const STEPS = 3;

interface Order {
  readonly note: string;
  readonly tokens: number;
}

/** The second waits for the first: somebody wants something of a thread that is being worked on. */
async function twoRuns(bases: readonly string[], { note, tokens }: Order): Promise<Finished[]> {
  const threadId = await insist(() => createThread(bases[0]!));
  const one = (which: string) => oneRun(bases, threadId, { note: `${note}.${which}`, tokens });
  return Promise.all([one('a'), one('b')]);
}

async function oneRun(
  bases: readonly string[],
  threadId: string,
  { note, tokens }: Order,
): Promise<Finished> {
  const transactional = (which: string) => ({ tool: 'transactional', input: { note: `${note} ${which}` } });
  const pure = { tool: 'pure', input: { note, delay_ms: 2 } };
  const content = JSON.stringify({
    steps: [
      { reasoning: 'step by step', tokens, delay_ms: 2, calls: [transactional('first'), pure] },
      { tokens, delay_ms: 2, calls: [pure, transactional('second')] },
      { tokens, delay_ms: 2 },
    ],
  });
  const { run, refusals } = await post(() => bases, `/api/threads/${threadId}/messages`, { content }, note);
  return { runId: run.id, note, refusals, frames: await followToEnd(() => bases, run.id) };
}

/** Nothing lost and nothing doubled: runs, messages, steps, effects, and every byte that a follower saw. */
export async function expectWhole(pool: pg.Pool, finished: readonly Finished[]): Promise<void> {
  const refused = finished.flatMap(({ refusals }) => refusals);
  expect(refused.filter(({ status, code }) => status !== 503 || code !== 'database_unavailable')).toEqual([]);
  expect(finished.flatMap(({ runId, frames }) => problemsOfDone(runId, frames, STEPS))).toEqual([]);
  for (const { runId, frames } of finished) {
    expect(frames.map((frame) => frame.raw)).toEqual(await storedFrames(pool, runId));
  }
  const effects = await pool.query<{ note: string; times: number }>(
    "select note, count(*)::int as times from effects where kind = 'transactional' group by note",
  );
  const expected = finished.flatMap(({ note }) => [`${note} first`, `${note} second`]);
  const once = expected.map((note) => ({ note, times: 1 }));
  expect(effects.rows.toSorted(byNote)).toEqual(once.toSorted(byNote));
  const rows = await pool.query<{
    runs: number;
    said: number;
  }>(`select (select count(*)::int from runs) as runs,
    (select count(*)::int from messages where role = 'user') as said`);
  expect(rows.rows[0]).toEqual({ runs: finished.length, said: finished.length });
  expect(await brokenInvariants(pool)).toEqual([]);
}

function byNote(a: { note: string }, b: { note: string }): number {
  return a.note < b.note ? -1 : 1;
}
