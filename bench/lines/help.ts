// How long somebody waits who asks the command what it can do.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { now } from '../measure/clock.ts';
import { digits, median } from '../measure/numbers.ts';
import { judged, type Line } from './line.ts';

const COMMAND = join(import.meta.dirname, '../../packages/cli/bin/continuo.mjs');
const MOST_MS = 150;

export const help: Line = {
  key: 'help',
  measure: async (stage) => {
    const count = stage.many(50, 10);
    // What is compiled is kept from the first time on.
    await milliseconds([COMMAND, '--help'], /^Usage: continuo/);
    const [nothing, shown]: number[][] = [[], []];
    for (let turn = 0; turn < count; turn += 1) {
      nothing!.push(await milliseconds(['-e', '0'], /^$/));
      shown!.push(await milliseconds([COMMAND, '--help'], /^Usage: continuo/));
    }
    return [
      {
        key: 'help',
        line: `continuo --help, median of ${count}`,
        target: `< ${MOST_MS} ms`,
        measured: `${digits(median(shown!), 'ms')}; \`node -e 0\`: ${digits(median(nothing!), 'ms')}`,
        verdict: judged(median(shown!) < MOST_MS),
      },
    ];
  },
};

const execute = promisify(execFile);

async function milliseconds(args: readonly string[], says: RegExp): Promise<number> {
  const began = now();
  const { stdout } = await execute(process.execPath, args);
  const took = now() - began;
  if (!says.test(stdout)) throw new Error(`${args.join(' ')} said ${JSON.stringify(stdout.slice(0, 200))}`);
  return took;
}
