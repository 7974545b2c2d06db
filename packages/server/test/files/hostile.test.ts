// Hostile paths and hostile folders: what is accepted is safe on disk, and nothing is ever written outside.

import { fork } from 'node:child_process';
import { closeSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '@continuo/testkit';
import { temporaryFolder } from '@continuo/testkit/fixtures';
import { decideRemovals } from '../../src/files/held-removals.ts';
import { ANONYMOUS } from '../../src/identity/principal.ts';
import { conflictPath, isIgnored, isOwn } from '../../src/files/mirror/names.ts';
import { openFolder, namesOf, writeFully } from '../../src/files/mirror/disk/tree.ts';
import { fold } from '../../src/names/case-folding.ts';
import { NAME_BYTES } from '../../src/names/file-names.ts';
import { parsePath, PATH_BYTES, PATH_DEPTH } from '../../src/files/paths.ts';
import { seeded, type Chance } from '../chaos/support/seeded.ts';
import { useLog } from '../runs/support.ts';
import { openDesk } from './mirror/support.ts';

const world = useLog();

const TRICKS = [
  '..',
  '.',
  '',
  '/',
  '//',
  '\\',
  ':',
  '*',
  '?',
  '"',
  '<',
  '>',
  '|',
  '\0',
  '\n',
  '\r',
  '\t',
  '\u007F',
  '\u0085',
];
const RESERVED =
  'con PRN aux.txt NUL com1 LPT9.md COM¹ conin$ .git .GIT Node_Modules .continuo-x.new .Continuo'.split(' ');
const INVISIBLE = [
  '.g\u200Dit',
  '\u202E',
  '\u200B',
  '\u200D',
  '\uFEFF',
  '\u2028',
  '\u2066',
  '\u00AD',
  '\uD800',
  '\uDC00',
];
const ENDS = [
  'CON .md',
  'continuo-quarantine.txt',
  '~',
  'a~',
  ' ',
  'a ',
  'a.',
  ' a',
  '\u{E0001}',
  '\u{F0000}',
  '\u0378',
];
const LETTERS = 'é ﬁ ß ẞ SS İ i̇ ı Σ ς σ K Å 한 🙂 👩‍👩‍👧 ․․ ．． ／ ∕ ⁄'.split(' ');
const FORMS = ['e\u0301', '\u212A', '\u212B', '\u0345', '\u1112\u1161\u11AB', '.gi\u0131t'];
const ENCODED = [
  '%2e%2e',
  '%00',
  '..%2f',
  '....',
  '...',
  'C:',
  'file:',
  '$(rm)',
  '`id`',
  '-rf',
  '$HOME',
  "'",
];
const LONG = ['x'.repeat(254), 'é'.repeat(127), 'x'.repeat(4096)];
const PLAIN = ['notes', 'haiku.md', 'a', 'b', 'Notes', 'README'];
const PIECES = [TRICKS, RESERVED, INVISIBLE, ENDS, LETTERS, FORMS, ENCODED, LONG, PLAIN].flat();

function hostile(chance: Chance): string {
  const count = 1 + chance.below(5);
  let path = chance.below(3) === 0 ? '/' : '';
  for (let index = 0; index < count; index += 1) {
    path += chance.pick(PIECES);
    if (chance.below(4) === 0) path += String.fromCodePoint(chance.below(0x11_0000));
    if (chance.below(2) === 0) path += '/';
  }
  if (chance.below(50) === 0) path = 'd/'.repeat(chance.below(200)) + path;
  return path;
}

test('of 200,000 hostile paths, what is accepted is in one form, stays inside and names nothing reserved', () => {
  const chance = seeded();
  let accepted = 0;
  for (let index = 0; index < 200_000; index += 1) {
    const parsed = parsePath(hostile(chance));
    if (!parsed.ok) {
      expect(parsed.problem).not.toBe('');
      continue;
    }
    accepted += 1;
    const { path, folded } = parsed.path;
    // One call of expect for each: 200,000 paths times ten would take a minute.
    const names = path.slice(1).split('/');
    const wrong = [
      path.normalize('NFC') !== path && 'form',
      !path.isWellFormed() && 'surrogates',
      normalize(path) !== path && 'not as it is on disk',
      normalize(`/root${path}`) !== `/root${path}` && 'leaves',
      Buffer.byteLength(path) > PATH_BYTES && 'bytes',
      names.length > PATH_DEPTH && 'depth',
      names.some((name) => Buffer.byteLength(name) > NAME_BYTES) && 'name',
      // oxlint-disable-next-line no-control-regex
      /[\0-\x1F\x7F\\]/.test(path) && 'control',
      /[\u202A-\u202E\u2066-\u2069\u200B\uFEFF]/.test(path) && 'invisible',
      names.some((name) => /^(\.git|node_modules|\.continuo.*)$/i.test(name)) && 'reserved',
      names.some((name) => /^(con|prn|aux|nul|(com|lpt)\d)(\.|$)/i.test(name)) && 'device',
      names.some((name) => /[. ]$|^ /.test(name)) && 'ends',
      fold(folded) !== folded && 'fold is not stable',
      fold(path.toUpperCase()) !== folded && 'upper',
      fold(path.toLowerCase()) !== folded && 'lower',
      !again(path, folded) && 'again',
      !parsePath(conflictPath(path, new Date(0))).ok && path.length < 900 && 'no name beside it',
    ].filter(Boolean);
    if (wrong.length > 0) expect.fail(`${JSON.stringify(path)}: ${wrong.join(', ')}`);
  }
  console.log(`accepted ${accepted} of 200,000`);
  expect(accepted).toBeGreaterThan(5000);
});

function again(path: string, folded: string): boolean {
  const parsed = parsePath(path);
  return parsed.ok && parsed.path.path === path && parsed.path.folded === folded;
}

test('WS-2 2,000 hostile paths that are accepted are on disk under exactly their names', async () => {
  const chance = seeded(2);
  const desk = await openDesk(world);
  const wanted = new Map<string, string>();
  while (wanted.size < 2000) {
    const parsed = parsePath(hostile(chance));
    if (parsed.ok && !wanted.has(parsed.path.folded)) wanted.set(parsed.path.folded, parsed.path.path);
  }
  const paths = [...wanted.values()];
  let written = 0;
  for (let start = 0; start < paths.length; start += 100) {
    const outcomes = await Promise.all(paths.slice(start, start + 100).map((path) => desk.write(path, path)));
    written += outcomes.filter(({ kind }) => kind === 'changed').length;
  }
  // What was staged and not needed goes a moment later.
  await until(
    'no temporary file is left',
    () => !Object.keys(desk.disk()).some((path) => isOwn(path.split('/').at(-1)!)),
  );
  const disk = desk.disk();
  expect(disk).toEqual(await desk.database());
  expect(Object.keys(disk)).toHaveLength(written);
  expect(written).toBeGreaterThan(1000);
  // What people could not have made themselves is theirs to edit, too.
  await desk.stop();
  const kept = Object.keys(disk).filter((path) => !path.slice(1).split('/').some(isIgnored));
  for (const path of kept) writeFileSync(join(desk.root, path), 'edited');
  const after = await openDesk(world, { home: desk.home, workspaceId: desk.workspaceId });
  const database = await after.database();
  expect(kept.filter((path) => database[path] !== 'edited')).toEqual([]);
}, 180_000);

const swapper = fileURLToPath(new URL('swapper.ts', import.meta.url));

async function swap(root: string, outside: string): Promise<() => Promise<void>> {
  const child = fork(swapper, [root, outside]);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const end = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(end);
  await new Promise((resolve) => child.once('message', resolve));
  return end;
}

test('20,000 writes through a folder that is swapped with a link: none leaves the folder', async () => {
  const home = temporaryFolder('mirror');
  const [root, outside] = [join(home, 'root'), join(home, 'outside')];
  mkdirSync(join(root, 'a/b'), { recursive: true });
  mkdirSync(join(outside, 'b'), { recursive: true });
  const end = await swap(root, outside);
  let [written, refused] = [0, 0];
  for (let index = 0; index < 20_000; index += 1) {
    const { folder: names, name } = namesOf(`/a/b/f${index}`);
    try {
      const folder = await openFolder(root, names, { create: () => undefined });
      if (!folder) continue;
      try {
        const fd = await folder.create(name);
        await writeFully(fd, Buffer.from('x'));
        closeSync(fd);
        written += 1;
      } finally {
        folder.close();
      }
    } catch {
      refused += 1;
    }
  }
  await end();
  console.log(`${written} written inside, ${refused} refused`);
  expect(readdirSync(join(outside, 'b'))).toEqual([]);
  expect(readdirSync(outside)).toEqual(['b']);
  expect(refused).toBeGreaterThan(0);
  expect(written).toBeGreaterThan(0);
}, 120_000);

test('WS-2 flushes into a folder that is swapped with a link leave nothing outside, and the folder heals', async () => {
  const desk = await openDesk(world);
  const outside = join(desk.home, 'outside');
  mkdirSync(join(outside, 'b'), { recursive: true });
  writeFileSync(join(outside, 'b/secret'), 'secret');
  await desk.write('a/b/f.md', '0');
  const end = await swap(desk.root, outside);
  for (let index = 1; index <= 300; index += 1) await desk.write(`a/b/f${index % 10}.md`, `${index}`);
  await end();
  expect(readdirSync(join(outside, 'b'))).toEqual(['secret']);
  expect(readFileSync(join(outside, 'b/secret'), 'utf8')).toBe('secret');
  for (const name of readdirSync(desk.root))
    if (name.startsWith('swap-')) rmSync(join(desk.root, name), { recursive: true });
  await desk.stop();
  const after = await openDesk(world, { home: desk.home, workspaceId: desk.workspaceId });
  await until('the folder is the database', async () => {
    // If the swapper took more than a few files along, their removals are held until a person decides.
    if (await decideRemovals(world.pool, after.workspaceId, 'restore', ANONYMOUS))
      await after.workspaces.moved(after.workspaceId);
    const files = Object.entries(after.disk()).filter(([, kind]) => kind !== 'no file');
    return isDeepStrictEqual(Object.fromEntries(files), await after.database());
  });
  expect(Object.values(await after.database())).not.toContain('secret');
}, 180_000);
