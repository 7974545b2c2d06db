// The types in the client are those of the server's document. `npm run generate` writes them anew.

import { expect, test } from 'vitest';
import { ask, usePod } from '../../server/test/contract/support.ts';
import { typesOf } from './types-of.ts';

const world = usePod();

test("PLUS-5 the client's types are what the server's document gives now", async () => {
  const { body } = await ask('GET', `${world.url}/openapi.json`);
  await expect(await typesOf(body)).toMatchFileSnapshot('../src/generated/openapi.ts');
});
