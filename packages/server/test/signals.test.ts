import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

const program = `
  const { onStopSignal } = await import(${JSON.stringify(join(import.meta.dirname, '../src/signals.ts'))});
  onStopSignal({
    drain: (signal) => (console.log('drain ' + signal), setTimeout(() => process.exit(0), 1600)),
    force: (signal) => (console.log('force ' + signal), process.exit(1)),
    ...(process.argv[1] && { withinMs: Number(process.argv[1]) }),
  });
  setInterval(() => {}, 1000);
  console.log('ready');
`;

async function stop(...signals: [signal: NodeJS.Signals, afterMs: number][]) {
  return stopWithin([], ...signals);
}

async function stopWithin(withinMs: string[], ...signals: [signal: NodeJS.Signals, afterMs: number][]) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, ...withinMs], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await once(child.stdout, 'data');
  const exit = once(child, 'exit');
  for (const [signal, afterMs] of signals) {
    await sleep(afterMs);
    child.kill(signal);
  }
  const [code] = (await exit) as [number];
  return { code, lines: output.trim().split('\n').slice(1) };
}

test('a Ctrl-C that arrives twice, as it does under npm, is one wish to stop', async () => {
  expect(await stop(['SIGINT', 0], ['SIGINT', 20], ['SIGTERM', 20])).toEqual({
    code: 0,
    lines: ['drain SIGINT'],
  });
});

test('a second Ctrl-C, a second later, does not wait for the drain', async () => {
  expect(await stop(['SIGTERM', 0], ['SIGINT', 1_200])).toEqual({
    code: 1,
    lines: ['drain SIGTERM', 'force SIGINT'],
  });
});

test('a drain that takes too long is not waited for', async () => {
  expect(await stopWithin(['20'], ['SIGTERM', 0])).toEqual({
    code: 1,
    lines: ['drain SIGTERM', 'force SIGTERM'],
  });
});
