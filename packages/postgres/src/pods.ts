/** A pod's end of the pipe that the watchdog reads. Opened and closed under the lock. */
import { closeSync, constants, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { EmbeddedDatabaseError, OTHER_DATABASE, systemCode } from './errors.ts';
import type { Paths } from './paths.ts';
import { until } from './wait.ts';
import { spawnWatchdog, type Word } from './watchdog.ts';

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
/** As long as a server may take to stop. */
const STOP_TIMEOUT_MS = 60_000;

export interface Presence {
  readonly descriptor: number;
}

/**
 * Registers this pod with the watchdog, and starts a watchdog if there is none. Until `settle`, the watchdog assumes that a
 * server is being started.
 */
export async function enter(paths: Paths, socketFolder: string): Promise<Presence> {
  let watchdog: { ended: boolean } | undefined;
  const presence = await until({ limit: STOP_TIMEOUT_MS }, () => {
    const end = openEnd(paths.pods);
    if (end.kind === 'open' && say(end, 'starting')) return end;
    if (end.kind === 'open') closeSync(end.descriptor);
    if (end.kind === 'foreign') throw usedByAnother(paths);
    if (end.kind === 'absent' && isClosing(paths)) return undefined;
    if (watchdog?.ended) throw watchdogFailed(paths);
    watchdog ??= launchWatchdog(paths, socketFolder);
    return undefined;
  });
  if (!presence) throw watchdogFailed(paths);
  return presence;
}

/** Tells the watchdog that the start has succeeded or failed. If the watchdog has died, registers with a new one. */
export async function settle(paths: Paths, socketFolder: string, presence: Presence): Promise<Presence> {
  if (say(presence, 'settled')) return presence;
  const again = await enter(paths, socketFolder);
  closeSync(presence.descriptor);
  say(again, 'settled');
  return again;
}

/** Unregisters after a failed start. The watchdog stops a server that may have been started. */
export function abandon(presence: Presence): void {
  say(presence, 'settled');
  closeSync(presence.descriptor);
}

/** Unregisters this pod. True if it was the last. */
export async function leave(paths: Paths, presence: Presence): Promise<boolean> {
  // Opened before our end is closed; otherwise the watchdog could rename the pipe in between.
  const reader = await until({ limit: 1000 }, () => openReader(paths.pods));
  closeSync(presence.descriptor);
  return reader !== undefined && !hasWriters(paths, reader);
}

/** Whether any pod is registered. */
export function anyPresent(paths: Paths): boolean {
  const reader = openReader(paths.pods);
  return reader !== undefined && hasWriters(paths, reader);
}

function launchWatchdog(paths: Paths, socketFolder: string): { ended: boolean } {
  const watchdog = { ended: false };
  const end = () => (watchdog.ended = true);
  spawnWatchdog(paths, socketFolder).once('error', end).once('exit', end);
  return watchdog;
}

/** False if no watchdog reads the pipe. */
function say(presence: Presence, word: Word): boolean {
  try {
    writeSync(presence.descriptor, `${word}\n`);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EPIPE') return false;
    throw error;
  }
}

type End =
  | { readonly kind: 'open'; readonly descriptor: number }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unwatched' }
  /** The pipe belongs to another user, usually root. */
  | { readonly kind: 'foreign' };

function openEnd(pipe: string): End {
  try {
    return { kind: 'open', descriptor: openSync(pipe, O_WRONLY | O_NONBLOCK) };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { kind: 'absent' };
    if (systemCode(error) === 'ENXIO') return { kind: 'unwatched' };
    if (systemCode(error) === 'EACCES') return { kind: 'foreign' };
    throw error;
  }
}

/** Whether a watchdog is stopping the server. Removes the pipe of a watchdog that died while doing so. */
function isClosing(paths: Paths): boolean {
  const end = openEnd(paths.closing);
  if (end.kind === 'open') closeSync(end.descriptor);
  if (end.kind === 'unwatched') rmSync(paths.closing, { force: true });
  return end.kind === 'open' || end.kind === 'foreign';
}

function openReader(pipe: string): number | undefined {
  try {
    return openSync(pipe, O_RDONLY | O_NONBLOCK);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    if (systemCode(error) === 'EACCES') return undefined;
    throw error;
  }
}

/** Whether any process has the pipe open for writing: a read then gives EAGAIN instead of the end of the file. Closes the reader. */
function hasWriters(paths: Paths, reader: number): boolean {
  const buffer = Buffer.alloc(64);
  let taken = 0;
  try {
    for (let length = 1; length > 0; taken += length) length = readSync(reader, buffer);
    return false;
  } catch (error) {
    if (systemCode(error) !== 'EAGAIN') throw error;
    // This read may have consumed a line that the watchdog waits for, so it is written again.
    if (taken > 0) sayPresent(paths);
    return true;
  } finally {
    closeSync(reader);
  }
}

function sayPresent(paths: Paths): void {
  for (const pipe of [paths.pods, paths.closing]) {
    const end = openEnd(pipe);
    if (end.kind !== 'open') continue;
    say(end, 'present');
    closeSync(end.descriptor);
  }
}

function usedByAnother(paths: Paths): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    'not-writable',
    `${paths.home} is in use by another user (its ${paths.pods} is not ours); run as that user, or end that server and give the folder to this user with chown -R`,
  );
}

function watchdogFailed(paths: Paths): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    'watchdog-failed',
    `the process that stops the database after the last pod could not be started with the pipe ${paths.pods}; check that /bin/sh and mkfifo exist and that the folder's file system has named pipes, ${OTHER_DATABASE}`,
  );
}
