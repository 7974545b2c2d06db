// One cell with the load client: the CPU before and after, and what the client saw.

import type { Drive, Driven } from '../load/drive.ts';
import { pause } from '../measure/clock.ts';
import type { Program } from '../processes.ts';
import { TOKENS, used, type Cpu, type Result } from './system.ts';

/** What a server still does after a stream's end is part of the run. */
const SETTLE_MS = 150;
/** A system is quiet when it used at most this much in so long; it is not waited for longer than the last. */
const [QUIET_MS, QUIET_FOR_MS, LONGEST_MS] = [10, 500, 15_000];

export async function driveWith(
  load: Program,
  cpu: () => Cpu,
  order: Omit<Drive, 'tokens'>,
): Promise<Result> {
  // What the cell before deferred is not charged to this one.
  await quiet(cpu);
  const before = cpu();
  const driven = await load.ask<Driven>('drive', { ...order, tokens: TOKENS });
  await pause(SETTLE_MS);
  const after = cpu();
  if (driven.failures.length > 0)
    throw new Error(
      `${order.system}: ${driven.failures.length} runs failed, the first one because ${driven.failures[0]}`,
    );
  await quiet(cpu);
  return { ...driven, cpu: used(before, after), deferred: used(after, cpu()) };
}

async function quiet(cpu: () => Cpu): Promise<void> {
  for (let waited = 0; waited < LONGEST_MS; waited += QUIET_FOR_MS) {
    const before = cpu();
    await pause(QUIET_FOR_MS);
    const { server, postgres } = used(before, cpu());
    if (server + postgres <= QUIET_MS) return;
  }
}
