// A worker thread. Runs one job at a time, and answers with its result or its error.

import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { LOW_PRIORITY } from '../limits/low-priority.ts';
import { jobs } from './jobs.ts';
import type { Answer, Job } from './pool.ts';

// Linux alone has priorities of threads; elsewhere this would be the whole process.
if (process.platform === 'linux') setPriority(LOW_PRIORITY);

parentPort!.on('message', ({ name, input }: Job) => {
  let answer: Answer;
  try {
    answer = { ok: true, result: jobs[name](input as never) };
  } catch (error) {
    answer = { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
  parentPort!.postMessage(answer);
});
