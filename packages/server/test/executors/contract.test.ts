// The contract once more, with an executor in the place of the built-in loop: next to each pod runs a worker, and the default model is
// the executor. What a client sees is the same.

import { afterAll, describe } from 'vitest';

process.env.CONTINUO_TEST_EXECUTOR = 'script';
afterAll(() => void delete process.env.CONTINUO_TEST_EXECUTOR);

for (const name of ['cancel', 'resume', 'lifecycle', 'chat-control', 'approvals', 'parked-calls'])
  describe(`RUN-14 behind an executor: ${name}`, async () => {
    await import(`../contract/${name}.test.ts`);
  });
