// What is read of the folders of commands, which commands fill: the difference, the size on disk, the outputs that are kept.

import { spawn } from 'node:child_process';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '@continuo/testkit/fixtures';
import { readDifference } from '../../src/sandbox/difference.ts';
import { createVolumes } from '../../src/sandbox/volumes.ts';
import { watchDisk } from '../../src/sandbox/watch.ts';

let root: string;
beforeEach(async () => {
  root = temporaryFolder();
  await chmod(root, 0o777);
});

/** Root may read every folder, so this is another user for a while. */
async function withoutPrivileges(work: () => Promise<void>): Promise<void> {
  if (process.geteuid!() !== 0) return work();
  process.seteuid!(54_321);
  try {
    await work();
  } finally {
    process.seteuid!(0);
  }
}

test('WS-18 of a folder that is swapped for a link again and again, nothing is read that is outside', async () => {
  const [upper, outside] = [join(root, 'upper'), join(root, 'outside')];
  for (const folder of [join(upper, 'swapped'), outside]) await mkdir(folder, { recursive: true });
  await writeFile(join(upper, 'swapped/name'), 'inside');
  await writeFile(join(outside, 'name'), 'outside');
  await symlink(outside, join(upper, 'link'));
  // renameat2 exchanges both.
  const swap = `my $n = \`uname -m\` =~ /aarch64/ ? 276 : 316; my ($a, $b) = @ARGV; syswrite STDOUT, "."; while (1) { syscall($n, -100, $a, -100, $b, 2) == 0 or die $! }`;
  const swapping = spawn('/usr/bin/perl', ['-e', swap, join(upper, 'swapped'), join(upper, 'link')]);
  onTestFinished(() => void swapping.kill('SIGKILL'));
  await new Promise((resolve) => swapping.stdout.once('data', resolve));
  const read = new Set<string>();
  for (let round = 0; round < 1000; round += 1)
    for (const { content } of (await readDifference(upper, '')).files) read.add(content.toString());
  expect([...read]).toEqual(['inside']);
});

test('WS-18 a folder that cannot be read is left out of the proposal, and the rest is proposed', () =>
  withoutPrivileges(async () => {
    await mkdir(join(root, 'closed'));
    await chmod(join(root, 'closed'), 0);
    await writeFile(join(root, 'secret'), 'x', { mode: 0 });
    await writeFile(join(root, 'file'), 'x');
    const { files, leftOut } = await readDifference(root, '');
    expect(files.map(({ path }) => path.path)).toEqual(['/file']);
    expect(leftOut).toEqual(['/closed', '/secret'].map((path) => ({ path, reason: 'it cannot be read' })));
    await chmod(join(root, 'closed'), 0o700);
  }));

test('WS-18 a folder that cannot be measured counts as too large, whatever its name says', () =>
  withoutPrivileges(async () => {
    const hidden = join(root, 'No such file or directory');
    await mkdir(hidden);
    await writeFile(join(hidden, 'large'), 'x');
    await chmod(hidden, 0o300);
    const watched = { folders: [root], bytes: 2 ** 30, entries: 1000, areEmpty: false };
    await new Promise<void>((resolve) => {
      const watch = watchDisk([watched], resolve);
      onTestFinished(() => watch.stop());
    });
    await chmod(hidden, 0o700);
  }));

test.each([
  { what: 'a folder that was empty', areEmpty: true, before: 0 },
  { what: 'a volume that was nearly full', areEmpty: false, before: 60 },
])('WS-18 $what is measured as soon as it may exceed its limit', async ({ areEmpty, before }) => {
  const MiB = 2 ** 20;
  await writeFile(join(root, 'before'), Buffer.alloc(before * MiB, 1));
  const exceeded = new Promise<void>((resolve) => {
    const watch = watchDisk([{ folders: [root], bytes: 64 * MiB, entries: 1000, areEmpty }], resolve);
    onTestFinished(() => watch.stop());
  });
  await writeFile(join(root, 'after'), Buffer.alloc((65 - before) * MiB, 1));
  await exceeded;
});

test('WS-18 two commands of a chat that end at once keep an output each', async () => {
  const volumes = createVolumes(join(root, 'volumes'), null);
  const texts = ['one', 'two', 'three', 'four'];
  const paths = await Promise.all(
    texts.map(async (text) => {
      const layers = await volumes.open('chat');
      await writeFile(layers.output, text);
      return layers.keepOutput();
    }),
  );
  const kept = paths.map((path) => readFile(join(root, 'volumes/chat', path), 'utf8'));
  expect(await Promise.all(kept)).toEqual(texts);
});
