// The contract with an executor in the place of the built-in loop: next to each pod runs a worker (`startWorker`), and the default model
// is the executor. What a client sees is the same.

import { afterAll, describe } from 'vitest';

/** The part of the contract that every kind of executor meets. */
const COMMON = ['cancel', 'lifecycle', 'resume', 'chat-control', 'approvals'];

export function contractBehind(executor: string, title: string, more: readonly string[] = []): void {
  process.env.CONTINUO_TEST_EXECUTOR = executor;
  afterAll(() => void delete process.env.CONTINUO_TEST_EXECUTOR);
  for (const name of [...COMMON, ...more])
    describe(`RUN-14 behind ${title}: ${name}`, async () => {
      await import(`../contract/${name}.test.ts`);
    });
}
