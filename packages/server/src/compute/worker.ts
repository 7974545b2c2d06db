// A worker thread. Runs one job at a time, and answers with its result or its error.

import { parentPort } from 'node:worker_threads';
import { jobs } from './jobs.ts';
import type { Answer, Job } from './pool.ts';

parentPort!.on('message', ({ name, input }: Job) => {
  let answer: Answer;
  try {
    answer = { ok: true, result: jobs[name](input as never) };
  } catch (error) {
    answer = { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
  parentPort!.postMessage(answer);
});
