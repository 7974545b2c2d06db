// Writes the answers of runs whose model is executor/hello.

import { runWorker } from '@continuo/client/worker';
import { answer } from './answer.ts';

const { CONTINUO_URL = 'http://127.0.0.1:4400', CONTINUO_API_KEY, CONTINUO_EXECUTOR = 'hello' } = process.env;

console.log(
  `Answers for executor/${CONTINUO_EXECUTOR} at ${CONTINUO_URL}. Ctrl-C finishes the open answers, and exits.`,
);
await runWorker({
  baseUrl: CONTINUO_URL,
  executor: CONTINUO_EXECUTOR,
  concurrency: 4,
  answer,
  ...(CONTINUO_API_KEY && { apiKey: CONTINUO_API_KEY }),
});
