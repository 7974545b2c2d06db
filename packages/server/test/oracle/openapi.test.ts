// The server's document, without its prose, is as stored. A deliberate change of the API rewrites it:
// `CONTINUO_ORACLE=openapi npm test -- packages/server/test/oracle`.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ask } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';

const FILE = join(import.meta.dirname, 'openapi.json');
const world = usePod();

/** Words for people; a property of that name is no prose. */
const PROSE: ReadonlySet<string> = new Set(['description', 'summary', 'example', 'examples', 'title']);

function withoutProse(value: unknown, isNamed = false): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutProse(each));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => isNamed || !PROSE.has(key));
  const sorted = kept.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    sorted.map(([key, each]) => [key, withoutProse(each, !isNamed && NAMES.has(key))]),
  );
}

/** Members of these are named by the API, and not by the format of the document. */
const NAMES: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'schemas',
  'headers',
  'paths',
]);

test('the document without its prose is as stored', async () => {
  const { body } = await ask('GET', `${world.url}/openapi.json`);
  const text = `${JSON.stringify(withoutProse(body), null, 1)}\n`;
  if (process.env.CONTINUO_ORACLE === 'openapi') writeFileSync(FILE, text);
  expect(text.split('\n')).toEqual(readFileSync(FILE, 'utf8').split('\n'));
});
