// Raw fetch-and-parse of the model: the least that a run can cost.

import { treeCpuMs } from '../measure/cpu.ts';
import { startProgram } from '../processes.ts';
import { modelFor, NOTHING, TOKENS, used, type System } from './system.ts';

export async function startDirect(modelUrl: string): Promise<System> {
  const program = await startProgram('./programs/direct.ts', { env: { OPENAI_BASE_URL: modelUrl } });
  const cpu = () => ({ server: treeCpuMs(program.pid), postgres: 0 });
  return {
    name: 'direct',
    stop: () => program.stop(),
    run: async (cell) => {
      const before = cpu();
      const order = { ...cell, model: modelFor(cell), tokens: TOKENS };
      const driven = await program.ask<{ completed: number; seconds: number }>('drive', order);
      return { ...driven, cpu: used(before, cpu()), deferred: NOTHING, first: [], tail: [], deltas: [] };
    },
  };
}
