// The client's types match the server's OpenAPI document. `npm run generate` writes them.

import { expect, test } from 'vitest';
import { ask } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { typesOf } from './types-of.ts';

const world = usePod();

test("PLUS-5 the client's types match the server's OpenAPI document", async () => {
  const { body } = await ask('GET', `${world.url}/openapi.json`);
  await expect(await typesOf(body)).toMatchFileSnapshot('../src/generated/openapi.ts');
});
