// A lock between processes on one folder: a file that names its holder. The holder touches it while
// it works; a lock whose process is gone, or that nobody has touched for a minute, is taken over.

import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const staleAfterMs = 60_000;

export async function withLock(path, work) {
  const mine = JSON.stringify({ pid: process.pid, host: hostname(), at: Date.now() });
  while (!acquire(path, mine)) {
    const holder = read(path);
    if (holder && isStale(path, holder)) evict(path, holder);
    else await sleep(200);
  }
  const free = () => read(path) === mine && rmSync(path, { force: true });
  const heartbeat = setInterval(() => touch(path), 5_000);
  process.once('exit', free);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    process.off('exit', free);
    free();
  }
}

/** A link appears whole or not at all: nobody ever reads a lock without its holder. */
function acquire(path, mine) {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, mine);
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function isStale(path, holder) {
  try {
    const { pid, host } = JSON.parse(holder);
    if (host === hostname() && !isAlive(pid)) return true;
    return Date.now() - statSync(path).mtimeMs > staleAfterMs;
  } catch {
    return false; // freed in the meantime
  }
}

/** Renaming decides between two that evict at once; one that took a newer lock puts it back. */
function evict(path, holder) {
  const taken = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, taken);
    if (read(taken) !== holder) linkSync(taken, path);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(taken, { force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function touch(path) {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // evicted after a long sleep: the stamp is compared again by whoever comes next
  }
}
