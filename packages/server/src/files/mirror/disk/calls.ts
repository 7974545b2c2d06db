// The mirrors' system calls. Each runs on a thread of libuv's pool, never on the event loop, so that a slow disk delays
// only the folder. The pool has 4 threads unless UV_THREADPOOL_SIZE says otherwise, and DNS lookups and other file
// reads need it too: all mirrors of a pod together use at most 3.

import * as fs from 'node:fs';
import { promisify } from 'node:util';

const MOST = 3;
let running = 0;
const waiting: (() => void)[] = [];

export const chmod = limited(promisify(fs.fchmod));
export const fsync = limited(promisify(fs.fsync));
export const fstat = limited(promisify(fs.fstat));
export const link = limited(promisify(fs.link));
export const lstat = limited(promisify(fs.lstat));
export const makeFolders = limited((path: string) => fs.promises.mkdir(path, { recursive: true }));
export const mkdir = limited(promisify(fs.mkdir));
export const open = limited(promisify(fs.open));
export const read = limited(promisify(fs.read));
export const readFile = limited(promisify(fs.readFile));
export const readdir = limited(promisify(fs.readdir));
export const removeAll = limited((path: string) => fs.promises.rm(path, { recursive: true, force: true }));
export const rename = limited(promisify(fs.rename));
export const rmdir = limited((path: string) => fs.promises.rmdir(path));
export const setTimes = limited(promisify(fs.futimes));
export const unlink = limited(promisify(fs.unlink));
export const write = limited(promisify(fs.write));

/** Whether anything exists at this path. A link counts, even a dangling one. */
export async function exists(path: string): Promise<boolean> {
  return (await statIfThere(path)) !== null;
}

/** Whether the folder exists. Anything else at this path, including a link to a folder, is an error. */
export async function isFolder(path: string): Promise<boolean> {
  const stat = await statIfThere(path);
  if (!stat) return false;
  if (stat.isDirectory()) return true;
  const error = new Error(`ENOTDIR: ${path} is not a folder; remove it, or put the folder back`);
  throw Object.assign(error, { code: 'ENOTDIR' });
}

async function statIfThere(path: string): Promise<fs.Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

/**
 * Like Promise.all, but it rejects only after every call has ended, so that none is still running in a folder that is
 * closed next.
 */
export async function together<T extends readonly unknown[] | []>(
  calls: T,
): Promise<{ -readonly [P in keyof T]: Awaited<T[P]> }> {
  await Promise.allSettled(calls);
  return Promise.all(calls);
}

/** Synchronous, because closing does no I/O: anything worth keeping was synced before. */
export const close = fs.closeSync;

function limited<F extends (...given: never[]) => Promise<unknown>>(call: F): F {
  const run = async (...given: Parameters<F>): Promise<unknown> => {
    if (running >= MOST) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await call(...given);
    } finally {
      // The slot goes to the next waiting call.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
  return run as F;
}
