import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'continuo-lock-'));
});
afterEach(() => rm(folder, { recursive: true }));

const lock = join(import.meta.dirname, '../lock.mjs');

/** Takes the lock, writes "in", waits, writes "out". */
async function holder(holdMs = 30): Promise<void> {
  const program = `
    import { appendFileSync } from 'node:fs';
    import { withLock } from ${JSON.stringify(lock)};
    await withLock(${JSON.stringify(join(folder, 'lock'))}, async () => {
      appendFileSync(${JSON.stringify(join(folder, 'trace'))}, 'in ');
      await new Promise((resolve) => setTimeout(resolve, ${holdMs}));
      appendFileSync(${JSON.stringify(join(folder, 'trace'))}, 'out ');
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' });
  expect((await once(child, 'exit'))[0]).toBe(0);
}
const trace = () => readFile(join(folder, 'trace'), 'utf8');

test('of six processes that start at once, one installs at a time, and nothing is left behind', async () => {
  await Promise.all(Array.from({ length: 6 }, () => holder()));
  expect(await trace()).toBe('in out '.repeat(6));
  expect(await readdir(folder)).toEqual(['trace']);
});

test('a lock whose process is gone is taken over, by one of those who wait', async () => {
  const gone = spawn(process.execPath, ['-e', '']);
  await once(gone, 'exit');
  await writeFile(join(folder, 'lock'), JSON.stringify({ pid: gone.pid, host: hostname(), at: 1 }));
  await Promise.all(Array.from({ length: 4 }, () => holder()));
  expect(await trace()).toBe('in out '.repeat(4));
});

test('a lock of another machine is taken over when nobody has touched it for a minute', async () => {
  await writeFile(join(folder, 'lock'), JSON.stringify({ pid: 1, host: 'elsewhere', at: 1 }));
  const before = new Date(Date.now() - 61_000);
  await utimes(join(folder, 'lock'), before, before);
  await holder();
  expect(await trace()).toBe('in out ');
});
