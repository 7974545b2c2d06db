// The folders of commands on disk: for each chat a scratch volume, which stays, and for each command the layers that take
// its writes, which are removed when it has ended. What is in them is hostile: it is never followed or run.

import { execFile } from 'node:child_process';
import { chown, link, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import type { Pool } from '../db/pool.ts';
import type { Folders, Runner } from './runner.ts';

const run = promisify(execFile);

/** How many outputs a chat's commands can look up, and their bytes together: the last ones. */
const OUTPUTS = 20;
const OUTPUTS_BYTES = 64 * 2 ** 20;
const OLD_MS = 3_600_000;

interface Layers extends Omit<Folders, 'workspace'> {
  /** The file for all that the command writes to its output. The command does not see it. */
  readonly output: string;
  /** Keeps that file for the chat's next commands. Returns its path inside the sandbox. */
  keepOutput(): Promise<string>;
  remove(): Promise<void>;
}

export interface Volumes {
  /** Folders for one command of a chat. */
  open(threadId: string): Promise<Layers>;
  /** Removes the volumes of chats that are gone (their executions go with them), and what killed servers left. */
  tidy(pool: Pool): Promise<void>;
}

export function createVolumes(folder: string, owner: Runner['owner']): Volumes {
  const make = async (path: string): Promise<string> => {
    await mkdir(path, { recursive: true, mode: 0o700 });
    if (owner) await chown(path, owner.uid, owner.gid);
    return path;
  };
  return {
    open: async (threadId) => {
      const scratch = join(folder, threadId, 'scratch');
      const call = join(folder, threadId, 'calls', uuidv7());
      await mkdir(call, { recursive: true, mode: 0o700 });
      await make(scratch);
      const [upper, tmp] = [await make(join(call, 'upper')), await make(join(call, 'tmp'))];
      // The overlay's own folder, seen by the user that mounts it.
      const work = join(call, 'work');
      await mkdir(work);
      const outputs = join(folder, threadId, 'outputs');
      await mkdir(outputs, { recursive: true, mode: 0o755 });
      const output = join(call, 'output');
      return {
        scratch,
        upper,
        work,
        tmp,
        outputs,
        output,
        keepOutput: () => keepOutput(outputs, output),
        remove: () => removeTree(call),
      };
    },
    tidy: async (pool) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      for (const threadId of await readdir(folder)) {
        const calls = join(folder, threadId, 'calls');
        for (const call of await readdir(calls).catch(() => []))
          if (await isOld(join(calls, call))) await removeTree(join(calls, call));
        const volume = join(folder, threadId);
        if ((await isOld(volume)) && !(await isUsed(pool, threadId))) await removeTree(volume);
      }
    },
  };
}

/** Commands can only read this folder. */
async function keepOutput(folder: string, file: string): Promise<string> {
  const before = await numbersIn(folder);
  let number = (before[0] ?? 0) + 1;
  // Another command of the chat may end at the same time.
  while (!(await isLinked(file, pathOf(folder, number)))) number += 1;
  let bytes = 0;
  for (const [index, each] of (await numbersIn(folder)).entries()) {
    bytes += (await stat(pathOf(folder, each)).catch(() => null))?.size ?? 0;
    if (index >= OUTPUTS || bytes > OUTPUTS_BYTES) await rm(pathOf(folder, each), { force: true });
  }
  return `/outputs/${number}.txt`;
}

const pathOf = (folder: string, number: number) => join(folder, `${number}.txt`);

/** Newest first. */
async function numbersIn(folder: string): Promise<readonly number[]> {
  return (await readdir(folder)).map((name) => Number.parseInt(name, 10)).toSorted((a, b) => b - a);
}

/** False if there is a file with that name. */
async function isLinked(file: string, path: string): Promise<boolean> {
  try {
    await link(file, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Older than any command can be: several servers may share the folder. */
async function isOld(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs > OLD_MS;
}

async function isUsed(pool: Pool, threadId: string): Promise<boolean> {
  const { rowCount } = await pool.query('select from executions where thread_id::text = $1 limit 1', [
    threadId,
  ]);
  return rowCount !== 0;
}

/** A command may have made folders that even their owner cannot read, or nested them deeper than the longest path. */
async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await run('chmod', ['-R', 'u+rwX', '--', path]).catch(() => undefined);
    await run('rm', ['-rf', '--', path]);
  }
}
