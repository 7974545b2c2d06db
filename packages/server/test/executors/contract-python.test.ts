import { spawnSync } from 'node:child_process';
import { test } from 'vitest';
import { contractBehind } from './contract-behind.ts';

if (spawnSync('python3', ['--version']).status === 0) contractBehind('python', 'an executor in Python');
else
  test.skip('RUN-14 the contract behind an executor in Python (skipped: there is no python3)', () =>
    undefined);
