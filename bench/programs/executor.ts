// An executor that says what the fake model says, at once. Not counted.

import { runWorker } from '@continuo/client/worker';
import { tokenText } from '../load/text.ts';
import { TOKENS } from '../systems/system.ts';
import { answer } from './answer.ts';

answer(null, {});
await runWorker({
  baseUrl: process.env.CONTINUO_URL!,
  executor: 'bench',
  concurrency: 60,
  async *answer() {
    for (let index = 0; index < TOKENS; index += 1) yield tokenText(index);
  },
});
