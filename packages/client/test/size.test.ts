// The size of the client in a page.

import { gzipSync } from 'node:zlib';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';

const MOST_BYTES = 12 * 1024;

async function bundled(entry: string): Promise<{ code: string; imports: string[] }> {
  const bundle = await rolldown({
    input: join(import.meta.dirname, '../src', entry),
    platform: 'browser',
    external: ['react'],
    treeshake: true,
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  return { code: output[0].code, imports: output[0].imports };
}

test('PLUS-5 the client is under 12 kB gzip, and imports nothing', async () => {
  const { code, imports } = await bundled('index.ts');
  expect(imports).toEqual([]);
  expect(code).toContain('idempotency-key');
  expect(gzipSync(code).length).toBeLessThan(MOST_BYTES);
});

test('the hooks and the fold are under 12 kB gzip, too, and import React alone', async () => {
  const { code, imports } = await bundled('react/index.ts');
  expect(imports).toEqual(['react']);
  expect(gzipSync(code).length).toBeLessThan(MOST_BYTES);
});
