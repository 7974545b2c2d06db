// Limits that the kernel does not enforce: what a command writes to disk, and without control groups the memory of its
// process tree. They are measured often, and a command that exceeds one is killed.
//
// Measuring a folder starts a process that reads all of it. So the free space of the disk, which costs nothing to read,
// says when to measure: a folder cannot have grown by more than the disk has lost, unless somebody else freed space, which
// the regular measurement finds. Most commands end before anything is measured.

import { execFile } from 'node:child_process';
import { readdir, readFile, statfs } from 'node:fs/promises';
import { promisify } from 'node:util';

const LOOK_MS = 100;
const MEASURE_MS = 5000;
/** When a volume that was there before the command is measured for the first time; until then it counts as nearly full. */
const FIRST_MEASURE_MS = 1000;
const NEARLY_FULL = 31 / 32;
const run = promisify(execFile);

export interface Watched {
  readonly folders: readonly string[];
  readonly bytes: number;
  readonly entries: number;
  /** Whether the folders are empty when the watch begins. */
  readonly areEmpty: boolean;
}

export interface Watch {
  stop(): void;
}

/** Calls `exceeded` once, when one of the groups of folders is larger than it may be. */
export function watchDisk(groups: readonly Watched[], exceeded: () => void): Watch {
  return repeat(exceeded, () => {
    const looks = groups.map(watchGroup);
    return async () => (await Promise.all(looks.map((look) => look()))).some(Boolean);
  });
}

function watchGroup({ folders, bytes, entries, areEmpty }: Watched): () => Promise<boolean> {
  const share = areEmpty ? 0 : NEARLY_FULL;
  const began = performance.now();
  let last: { free: Free; size: Size; due: number } | null = null;
  return async () => {
    const free = await freeOn(folders[0]!);
    last ??= {
      free,
      size: { bytes: bytes * share, entries: entries * share },
      due: began + (areEmpty ? MEASURE_MS : FIRST_MEASURE_MS),
    };
    const grown = last.free.bytes - free.bytes;
    const more = last.free.entries - free.entries;
    const isDue = performance.now() > last.due;
    if (!isDue && last.size.bytes + grown <= bytes && last.size.entries + more <= entries) return false;
    const size = await measure(folders);
    last = { free, size, due: performance.now() + MEASURE_MS };
    return size.bytes > bytes || size.entries > entries;
  };
}

interface Size {
  readonly bytes: number;
  readonly entries: number;
}
type Free = Size;

async function freeOn(folder: string): Promise<Free> {
  const { bavail, bsize, ffree } = await statfs(folder);
  return { bytes: bavail * bsize, entries: ffree };
}

/** What the folders hold on disk. A folder that cannot be read counts as too large, because its contents are unknown. */
async function measure(folders: readonly string[]): Promise<Size> {
  const total = async (...options: string[]): Promise<number> => {
    const args = ['--summarize', '--one-file-system', ...options, '--', ...folders];
    const { stdout, stderr } = await run('du', args, { env: { LC_ALL: 'C' } }).catch(
      (error: Error & { stdout?: string; stderr?: string }) => ({
        stdout: error.stdout ?? '',
        stderr: error.stderr ?? error.message,
      }),
    );
    // Files that vanish meanwhile are ignored. The name, which a command chooses, is in front and quoted.
    if (stderr.split('\n').some((line) => line !== '' && !line.endsWith(': No such file or directory')))
      return Infinity;
    return stdout.split('\n').reduce((sum, line) => sum + Number(line.split('\t')[0] ?? 0), 0);
  };
  const [bytes, entries] = await Promise.all([total('--block-size=1'), total('--inodes')]);
  return { bytes, entries };
}

/** Calls `exceeded` once, when a process and its descendants have more memory in use. */
export function watchMemory(pid: number, bytes: number, exceeded: () => void): Watch {
  return repeat(exceeded, () => async () => (await memoryOf(pid)) > bytes);
}

async function memoryOf(pid: number): Promise<number> {
  const text = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
  // A process is the child of the thread that started it.
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const [statm, ...children] = await Promise.all([
    text('statm'),
    ...threads.map((thread) => text(`task/${thread}/children`)),
  ]);
  const own = Number(statm.split(' ')[1] ?? 0) * 4096;
  const below = await Promise.all(children.join(' ').split(' ').filter(Boolean).map(Number).map(memoryOf));
  return below.reduce((sum, each) => sum + each, own);
}

function repeat(exceeded: () => void, start: () => () => Promise<boolean>): Watch {
  const look = start();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const next = async (): Promise<void> => {
    // A folder or a process that is gone meanwhile needs no watching.
    const isExceeded = await look().catch(() => false);
    if (stopped) return;
    if (isExceeded) return exceeded();
    timer = setTimeout(() => void next(), LOOK_MS);
  };
  void next();
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
