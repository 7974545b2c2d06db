// The whole contract with an executor in the place of the built-in loop: every file of test/contract that is not about the model
// itself. test/executors runs the most telling part of it in every form; the rest takes minutes, so only the long form does it.

import { existsSync, readdirSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';

const CONTRACT = new URL('../../contract/', import.meta.url);
const SUFFIX = '.test.ts';

/** The files that cannot hold behind an executor, and why. */
const ABOUT_MODELS: Readonly<Record<string, string>> = {
  audit: 'one call has an input that is not JSON; the protocol takes only objects',
  depth: 'calls have inputs that are too deep or too odd; the protocol refuses them, and the answer fails',
  'foreign-ids':
    'it stores an assignment for a run of its own, which has one already if an executor wrote its answer',
  tools: 'calls have inputs that are missing, null or not JSON; the protocol takes only objects',
  why: 'it expects the sentences about a model; those about an executor are in executors/protocol.test.ts',
};

/** `why` says why the tests are skipped on this machine; null if they are not. */
export function wholeContractBehind(executor: string, title: string, why: string | null = null): void {
  const skipped = process.env.CONTINUO_CHAOS === 'long' ? why : 'the long form does it';
  if (skipped !== null)
    return test.skip(`RUN-14 the whole contract behind ${title} (skipped: ${skipped})`, () => undefined);

  process.env.CONTINUO_TEST_EXECUTOR = executor;
  afterAll(() => void delete process.env.CONTINUO_TEST_EXECUTOR);
  for (const name of contractFiles())
    if (!Object.hasOwn(ABOUT_MODELS, name))
      describe(`RUN-14 behind ${title}: ${name}`, async () => {
        await import(`../../contract/${name}.test.ts`);
      });
  test.each(Object.keys(ABOUT_MODELS))('%s, which is left out, is a file of the contract', (name) => {
    expect(existsSync(new URL(`${name}${SUFFIX}`, CONTRACT))).toBe(true);
  });
}

function contractFiles(): readonly string[] {
  return readdirSync(CONTRACT)
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => name.slice(0, -SUFFIX.length))
    .toSorted();
}
