// A server for tests, in a process of its own: tools of each effect class, and faults at named points.

import { writeFileSync } from 'node:fs';
import { loadConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { startServer } from '../../src/server.ts';
import { onStopSignal } from '../../src/signals.ts';
import { createTestTools } from './tools.ts';

const { CONTINUO_TEST_FAULT: fault, CONTINUO_TEST_FAULT_SIGNAL: signal = 'SIGKILL' } = process.env;
const [wanted, nth = '1'] = (fault ?? '').split('#');
let times = 0;

function hit(point: string): void {
  if (point !== wanted) return;
  times += 1;
  if (times !== Number(nth)) return;
  writeFileSync(1, `hit ${point}\n`);
  process.kill(process.pid, signal);
}

const config = await loadConfig({ env: process.env, cwd: import.meta.dirname });
const log = createLogger({ level: config.logLevel, pretty: false });
const server = await startServer({ config, log, tools: createTestTools(process.env.DATABASE_URL!), ...(fault && { faults: hit }) });
writeFileSync(1, `url ${server.url}\n`);
const signals = onStopSignal({
  drain: () => void server.stop().then(() => signals.release()),
  force: () => process.exit(1),
});
