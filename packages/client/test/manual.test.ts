// The table of members in docs/client.md matches the client.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createClient } from '@continuo/client';

test('the table of members in docs/client.md matches the client', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/client.md'), 'utf8');
  const table = page.slice(page.indexOf('| Member |')).split('\n\n')[0]!;
  const documented = table
    .split('\n')
    .slice(2)
    .flatMap((row) => {
      const [members, methods] = row.split('|').slice(1, 3);
      const names = [...members!.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
      const parts = methods!
        .split(';')
        .map((part) => [...part.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
      return names.map((name, index) => [name, (parts[parts.length === 1 ? 0 : index] ?? []).toSorted()]);
    });
  const members = Object.entries(createClient()).map(([name, member]) => [
    name,
    typeof member === 'function' ? [] : Object.keys(member).toSorted(),
  ]);
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(members));
});
