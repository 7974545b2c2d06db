// A server for tests, in a process of its own: tools of each effect class, and faults at named points.

import { writeFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { createInterface } from 'node:readline';
import { createLogger, loadConfig, onStopSignal, startServer } from '@continuo/server';
import type { AccessKey, Conductor } from '@continuo/server/internals';
import { decision } from './decision-kind.ts';
import { createTestTools } from './tools.ts';
import { waves } from './waves.ts';

const {
  CONTINUO_TEST_FAULT: fault,
  CONTINUO_TEST_FAULT_SIGNAL: signal,
  CONTINUO_TEST_ARMABLE: armable,
  CONTINUO_TEST_KEYS: keys,
  CONTINUO_TEST_KIND: kind,
} = process.env;
let armed = arm(fault ?? '', signal);

/** `point` or `point#n`, where a point also stands for all those that begin with it and a dot. */
function arm(wanted: string, by = 'SIGKILL') {
  const [point = '', nth = '1'] = wanted.split('#');
  return { point, signal: by, left: Number(nth) };
}

function hit(point: string): void {
  if (point !== armed.point && !point.startsWith(`${armed.point}.`)) return;
  armed.left -= 1;
  if (armed.left !== 0) return;
  writeFileSync(1, `hit ${point} ${Date.now()}\n`);
  process.kill(process.pid, armed.signal);
  // The signal may reach another thread of this process first: nothing more happens in this one meanwhile.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
}

const config = await loadConfig({ env: process.env, cwd: import.meta.dirname });
const log = createLogger({ level: config.logLevel, pretty: false });
const tools = createTestTools(process.env.DATABASE_URL!);
const server = await startServer({
  config,
  log,
  env: process.env,
  tools,
  conductors: new Map([['waves', waves as Conductor]]),
  ...((fault || armable) && { faults: hit }),
  ...(kind && { kinds: [decision] }),
  ...(keys && { keys: JSON.parse(keys) as readonly AccessKey[] }),
});
const signals = onStopSignal({
  drain: () => void server.stop().then(() => signals.release()),
  force: () => process.exit(1),
});
writeFileSync(1, `url ${server.url}\n`);
// Most pods are killed, and could not do this at their end.
flushCompileCache();
if (armable) {
  const lines = createInterface(process.stdin);
  lines.on('line', (line) => (armed = arm(...(line.split(' ') as [string, string]))));
  // The test is gone, and nobody else would end this process.
  lines.on('close', () => process.exit(1));
  (process.stdin as NodeJS.ReadStream & { unref(): void }).unref();
}
