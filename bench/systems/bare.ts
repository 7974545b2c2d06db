// `streamText` in a Hono handler, which forgets everything.

import { treeCpuMs } from '../measure/cpu.ts';
import { startProgram, type Program } from '../processes.ts';
import { driveWith } from './drive.ts';
import { modelFor, type System } from './system.ts';

export async function startBare(modelUrl: string, load: Program): Promise<System> {
  const program = await startProgram('./programs/bare.ts', { env: { OPENAI_BASE_URL: modelUrl } });
  const { url } = program.ready as { url: string };
  const cpu = () => ({ server: treeCpuMs(program.pid), postgres: 0 });
  return {
    name: 'bare',
    stop: () => program.stop(),
    run: (cell) => driveWith(load, cpu, { ...cell, system: 'bare', base: url, model: modelFor(cell) }),
  };
}
