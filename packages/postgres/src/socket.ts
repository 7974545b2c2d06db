/**
 * The folder of the server's unix socket. Its path is short, because a socket's path is limited to 107 bytes (103 on macOS). It
 * is private, because any process that can reach the socket is the database's superuser. Its name is predictable and its parent
 * is open to everyone, so a folder that another user created is refused.
 */
import { createHash } from 'node:crypto';
import { chmodSync, lchownSync, lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedDatabaseError, systemCode } from './errors.ts';
import { fileOwner, type Identity } from './identity.ts';
import { othersCanEnter } from './reach.ts';

export const PORT = 5432;
const LONGEST_SOCKET_PATH = 103;

/** The folder's path for a home; the same for every process with the same temporary folder. */
export function socketFolder(home: string): string {
  const name = `continuo-${createHash('sha256').update(home).digest('hex').slice(0, 12)}`;
  const folder = join(tmpdir(), name);
  const fits = Buffer.byteLength(socketIn(folder)) <= LONGEST_SOCKET_PATH;
  const enters = process.geteuid?.() !== 0 || othersCanEnter(tmpdir());
  return fits && enters ? folder : join('/tmp', name);
}

export function socketIn(folder: string): string {
  return join(folder, `.s.PGSQL.${PORT}`);
}

export function makeSocketFolder(folder: string, identity: Identity): void {
  const owner = fileOwner(identity);
  try {
    mkdirSync(folder, { mode: 0o700 });
    chmodSync(folder, 0o700);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    refuseForeign(folder, owner.uid);
  }
  // A killed server left these files. Postgres would take a process that reuses its id for their owner.
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { force: true });
  if (lstatSync(folder).uid !== owner.uid) lchownSync(folder, owner.uid, owner.gid);
}

/** Also checked before attaching to a running server, whose path may come from an older version. */
export function refuseForeign(folder: string, uid: number): void {
  const stat = lstatSync(folder);
  const owners = [uid, process.geteuid?.()];
  if (stat.isDirectory() && owners.includes(stat.uid) && (stat.mode & 0o077) === 0) return;
  throw new EmbeddedDatabaseError(
    'unsafe-socket-folder',
    `${folder} should be a private folder of this database's user, but it is ${describe(stat)}; somebody else may have put it there. Remove it and start again, or set TMPDIR to a folder of your own`,
  );
}

/** Removes the folder, which is empty after a clean stop. */
export function removeSocketFolder(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Not empty, or already gone: the next start handles it.
  }
}

function describe(stat: {
  uid: number;
  mode: number;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}): string {
  const kind = stat.isDirectory() ? 'a folder' : stat.isSymbolicLink() ? 'a link' : 'a file';
  return `${kind} of user ${stat.uid} with mode ${(stat.mode & 0o777).toString(8)}`;
}
