// Which tests run, and how. `npm run test:chaos` sets CONTINUO_CHAOS=long: the kill tests then
// run alone, with more rounds.

import { defineConfig } from 'vitest/config';

const long = process.env.CONTINUO_CHAOS === 'long';

export default defineConfig({
  test: {
    include: long
      ? ['packages/*/test/chaos/**/*.test.ts']
      : ['packages/*/test/**/*.test.{ts,tsx}', 'scripts/test/**/*.test.ts'],
    globalSetup: ['packages/testkit/src/setup.ts'],
    // A forked process per file: tests kill processes, hold sockets and change the environment.
    pool: 'forks',
    // Tests wait for each other’s processes, and for leases to end: three fill two processors.
    maxWorkers: 3,
    testTimeout: long ? 1_800_000 : 60_000,
    hookTimeout: 120_000,
    // What is waited for comes by itself; a second is too little for a busy machine.
    expect: { poll: { timeout: 15_000 } },
  },
});
