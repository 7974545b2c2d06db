// The dialects once more, with an executor in the place of the built-in loop (see contract-behind.ts).

import { afterAll, describe } from 'vitest';

process.env.CONTINUO_TEST_EXECUTOR = 'script';
afterAll(() => void delete process.env.CONTINUO_TEST_EXECUTOR);

for (const name of ['agent', 'ag-ui', 'ai-sdk', 'ai-sdk-approvals', 'pipe', 'killed'])
  describe(`RUN-14 behind an executor: ${name}`, async () => {
    await import(`../dialects/${name}.test.ts`);
  });
