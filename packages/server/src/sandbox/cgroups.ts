// Limits for a command's whole process tree: memory and the number of processes; and the commands' share of the processors.
// Only where this process may create control groups, which usually needs root. Supports versions 1 and 2 of their interface.

import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Limits } from './limits.ts';

export interface Cgroups {
  create(name: string, limits: Pick<Limits, 'memoryBytes' | 'processes'>): Promise<Cgroup>;
}

export interface Cgroup {
  /** A process joins by writing its id into `cgroup.procs` of each. */
  readonly folders: readonly string[];
  /** Whether the kernel killed a process of the group because of its memory. */
  ranOutOfMemory(): Promise<boolean>;
  remove(): Promise<void>;
}

/** Where the groups are, and how a limit is written. */
interface Hierarchy {
  readonly memory: string;
  readonly processes: string;
  /** Version 1: a group that all commands share; null: none can be made. In version 2 the groups of memory are below it. */
  readonly processors: string | null;
  readonly files: (limits: Pick<Limits, 'memoryBytes' | 'processes'>) => readonly Setting[];
  /** Has a line `oom_kill N`. */
  readonly memoryEvents: string;
}

interface Setting {
  readonly of: 'memory' | 'processes';
  readonly file: string;
  readonly value: number;
  /** Not every kernel has it. */
  readonly optional?: true;
}

const PARENT = 'continuo-sandbox';
/** While others want the processors, too, all commands together get a tenth of what each of these gets. */
const CPU_WEIGHT = 10;
export const CPU_SHARES = 102;
const REMOVE_TRIES = 50;
const ABANDONED_MS = 60_000;

/** Null if groups cannot be created here. */
export async function openCgroups(mounts = readFileSync('/proc/mounts', 'utf8')): Promise<Cgroups | null> {
  const hierarchy = (await version2(mounts)) ?? (await version1(mounts));
  if (!hierarchy) return null;
  const cgroups: Cgroups = { create: (name, limits) => create(hierarchy, name, limits) };
  try {
    await removeAbandoned(hierarchy);
    const probe = await cgroups.create(`probe-${process.pid}`, { memoryBytes: 2 ** 30, processes: 100 });
    await probe.remove();
    return cgroups;
  } catch {
    // Not permitted: a read-only mount, another owner, or a controller that is not delegated.
    return null;
  }
}

/** Whether the kernel killed a process of the control group that this process is in, because of the group's memory. */
export async function outOfMemory(pid: number): Promise<boolean> {
  const [groups, mounts] = await Promise.all([
    readFile(`/proc/${pid}/cgroup`, 'utf8'),
    readFile('/proc/mounts', 'utf8'),
  ]);
  for (const line of groups.split('\n')) {
    const [, controllers, group] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (group === undefined) continue;
    const isVersion2 = controllers === '';
    if (!isVersion2 && !controllers!.split(',').includes('memory')) continue;
    const root = mountPoint(mounts, (type, options) =>
      isVersion2 ? type === 'cgroup2' : type === 'cgroup' && options.includes('memory'),
    );
    const file = isVersion2 ? 'memory.events' : 'memory.oom_control';
    const events = root === null ? '' : await readFile(join(root, group, file), 'utf8').catch(() => '');
    if (Number(/^oom_kill (\d+)/m.exec(events)?.[1] ?? 0) > 0) return true;
  }
  return false;
}

async function version2(mounts: string): Promise<Hierarchy | null> {
  const root = mountPoint(mounts, (type) => type === 'cgroup2');
  if (root === null) return null;
  const controllers = await readFile(join(root, 'cgroup.controllers'), 'utf8').catch(() => '');
  if (!['memory', 'pids'].every((name) => controllers.split(/\s/).includes(name))) return null;
  const parent = join(root, PARENT);
  try {
    await mkdir(parent, { recursive: true });
    for (const folder of [root, parent])
      await writeFile(join(folder, 'cgroup.subtree_control'), '+memory +pids');
  } catch {
    return null;
  }
  // It may not be delegated. The groups of the commands are below, and have none of their own.
  await writeFile(join(root, 'cgroup.subtree_control'), '+cpu')
    .then(() => writeFile(join(parent, 'cpu.weight'), String(CPU_WEIGHT)))
    .catch(() => undefined);
  return {
    memory: parent,
    processes: parent,
    processors: null,
    files: ({ memoryBytes, processes }) => [
      { of: 'memory', file: 'memory.max', value: memoryBytes },
      { of: 'memory', file: 'memory.swap.max', value: 0, optional: true },
      { of: 'processes', file: 'pids.max', value: processes },
    ],
    memoryEvents: 'memory.events',
  };
}

async function version1(mounts: string): Promise<Hierarchy | null> {
  const of = (controller: string) =>
    mountPoint(mounts, (type, options) => type === 'cgroup' && options.includes(controller));
  const [memory, processes, processors] = [of('memory'), of('pids'), of('cpu')];
  if (memory === null || processes === null) return null;
  return {
    memory: join(memory, PARENT),
    processes: join(processes, PARENT),
    processors: processors && (await openShare(join(processors, PARENT))),
    files: ({ memoryBytes, processes: most }) => [
      { of: 'memory', file: 'memory.limit_in_bytes', value: memoryBytes },
      { of: 'memory', file: 'memory.memsw.limit_in_bytes', value: memoryBytes, optional: true },
      { of: 'processes', file: 'pids.max', value: most },
    ],
    memoryEvents: 'memory.oom_control',
  };
}

async function openShare(folder: string): Promise<string | null> {
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'cpu.shares'), String(CPU_SHARES));
    return folder;
  } catch {
    return null;
  }
}

function mountPoint(
  mounts: string,
  isIt: (type: string, options: readonly string[]) => boolean,
): string | null {
  for (const line of mounts.split('\n')) {
    const [, point, type, options] = line.split(' ');
    if (point !== undefined && type !== undefined && isIt(type, options?.split(',') ?? [])) return point;
  }
  return null;
}

async function create(
  { memory, processes, processors, files, memoryEvents }: Hierarchy,
  name: string,
  limits: Pick<Limits, 'memoryBytes' | 'processes'>,
): Promise<Cgroup> {
  const folders = { memory: join(memory, name), processes: join(processes, name) };
  const unique = [...new Set(Object.values(folders))];
  for (const folder of unique) await mkdir(folder, { recursive: true });
  const cgroup: Cgroup = {
    folders: [...unique, ...(processors === null ? [] : [processors])],
    ranOutOfMemory: async () => {
      const events = await readFile(join(folders.memory, memoryEvents), 'utf8').catch(() => '');
      return Number(/^oom_kill (\d+)/m.exec(events)?.[1] ?? 0) > 0;
    },
    remove: async () => {
      for (const folder of unique) await removeWhenEmpty(folder);
    },
  };
  try {
    for (const { of, file, value, optional } of files(limits))
      await writeFile(join(folders[of], file), String(value)).catch((error: unknown) => {
        if (!optional) throw error;
      });
    return cgroup;
  } catch (error) {
    await cgroup.remove();
    throw error;
  }
}

/** A group can be removed shortly after its last process has ended. One that stays is removed at the next start. */
async function removeWhenEmpty(folder: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await rmdir(folder);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || tries === REMOVE_TRIES) return;
      if (code !== 'EBUSY') throw error;
      await pause(5);
    }
  }
}

/**
 * Removes the groups of servers that were killed. A group with processes cannot be removed; a young one may belong to a command that is just being
 * started by another server of this machine.
 */
async function removeAbandoned({ memory, processes }: Hierarchy): Promise<void> {
  for (const parent of new Set([memory, processes]))
    for (const name of await readdir(parent).catch(() => [])) {
      const group = await stat(join(parent, name)).catch(() => null);
      if (group?.isDirectory() && Date.now() - group.mtimeMs > ABANDONED_MS)
        await rmdir(join(parent, name)).catch(() => undefined);
    }
}
