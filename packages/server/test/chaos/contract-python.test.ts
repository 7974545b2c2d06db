import { spawnSync } from 'node:child_process';
import { wholeContractBehind } from './support/whole-contract.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;
wholeContractBehind('python', 'an executor in Python', hasPython ? null : 'there is no python3');
