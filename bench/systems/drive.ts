// One cell with the load client: the CPU before and after, and what the client saw.

import type { Drive, Driven } from '../load/drive.ts';
import { pause } from '../measure/clock.ts';
import type { Program } from '../processes.ts';
import { TOKENS, used, type Cpu, type Result } from './system.ts';

/** What a server still does after a stream's end is part of the run. */
const SETTLE_MS = 150;

export async function driveWith(
  load: Program,
  cpu: () => Cpu,
  order: Omit<Drive, 'tokens'>,
): Promise<Result> {
  const before = cpu();
  const driven = await load.ask<Driven>('drive', { ...order, tokens: TOKENS });
  await pause(SETTLE_MS);
  const after = cpu();
  if (driven.failures.length > 0)
    throw new Error(
      `${order.system}: ${driven.failures.length} runs failed, the first one because ${driven.failures[0]}`,
    );
  return { ...driven, cpu: used(before, after) };
}
