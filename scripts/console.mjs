// Builds the console when its build is missing or older than its sources. Two scripts that start at once build once.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { withLock } from './lock.mjs';

/** Files, and folders with all that is in them. */
const SOURCES = [
  'package-lock.json',
  ...['index.html', 'package.json', 'vite.config.ts', 'public', 'src'].map(
    (path) => `packages/console/${path}`,
  ),
  ...['client', 'protocol', 'engine'].map((name) => `packages/${name}/src`),
];

/** @param {string} root @param {() => Promise<void>} build */
export async function buildConsole(root, build) {
  const stamp = join(root, 'packages', 'console', 'dist', '.stamp');
  const wanted = hash(root);
  const current = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
  if (current()) return;
  await withLock(join(root, '.console.lock'), async () => {
    if (current()) return;
    console.error('building the console…');
    await build();
    writeFileSync(stamp, wanted);
  });
}

function hash(root) {
  const sum = createHash('sha256');
  for (const path of SOURCES.flatMap((source) => filesIn(root, source))) {
    sum
      .update(path)
      .update('\0')
      .update(readFileSync(join(root, path)))
      .update('\0');
  }
  return sum.digest('hex');
}

function filesIn(root, path) {
  if (statSync(join(root, path)).isFile()) return [path];
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)))
    .toSorted();
}
