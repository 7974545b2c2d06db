// The executor in Python, where it does not do what the protocol asks for.

import { spawnSync } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { framesOf, readRun } from '@continuo/testkit';
import { startWorker, usePod } from '@continuo/testkit/fixtures';
import { start } from './support.ts';

const world = usePod({ CONTINUO_EXECUTOR_LEASE_SECONDS: '300' });
const hasPython = spawnSync('python3', ['--version']).status === 0;

test.skipIf(!hasPython)(
  `RUN-14 an event that the server refuses fails the answer of an executor in Python at once${hasPython ? '' : ' (skipped: there is no python3)'}`,
  async () => {
    const worker = startWorker({ url: world.url, executor: 'python', concurrency: 1 });
    onTestFinished(() => worker.end());
    const input = `{"note":${'['.repeat(70)}${']'.repeat(70)}}`;
    const script = { steps: [{ text: 'so far', calls: [{ tool: 'pure', raw: input }] }] };
    const run = await start(world.url, 'python', JSON.stringify(script));
    await framesOf(world.url, run.id);
    expect(await readRun(world.url, run.id)).toMatchObject({
      status: 'error',
      error: { code: 'invalid_event', error: expect.stringContaining('nested deeper') as string },
    });
  },
);
