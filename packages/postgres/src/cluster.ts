/** The data folder. One rename creates it complete: a crash during initdb leaves only a temporary folder, which the next start removes. */
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Programs } from './binaries.ts';
import { EmbeddedDatabaseError, OTHER_DATABASE, systemCode } from './errors.ts';
import { fileOwner, folderName, type Identity, initdbIdentity, noEntry, runAs } from './identity.ts';
import type { Paths } from './paths.ts';

const MAJOR_VERSION = '18';
export const USER = 'continuo';

type Cluster =
  | { readonly kind: 'absent' }
  | { readonly kind: 'present'; readonly uid: number; readonly gid: number };

/** Inspects the data folder; refuses a cluster of another version, and a folder that is no cluster. */
export function inspectCluster(data: string): Cluster {
  const entries = listFolder(data);
  if (!entries || entries.length === 0) return { kind: 'absent' };
  if (!entries.includes('PG_VERSION')) {
    throw new EmbeddedDatabaseError(
      'not-a-cluster',
      `${data} holds files that are not a Postgres database; move them away, or set CONTINUO_HOME to another folder`,
    );
  }
  const version = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim();
  if (version !== MAJOR_VERSION) throw wrongVersion(data, version);
  const { uid, gid } = lstatSync(data);
  return { kind: 'present', uid, gid };
}

export async function createCluster(paths: Paths, programs: Programs): Promise<void> {
  removeLeftovers(paths);
  const staging = mkdtempSync(`${paths.data}.new-`);
  try {
    const data = join(staging, 'data');
    await initialize(data, programs);
    handOver(data, programs.identity);
    removeIfEmpty(paths.data);
    renameSync(data, paths.data);
    syncFolder(paths.home);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/**
 * Gives the files to the user that runs the server; only root can do this, and only root needs it. Also makes the folder private,
 * as Postgres requires; a copy from a backup may have other permissions.
 */
export function handOver(data: string, identity: Identity): void {
  const { uid, gid } = fileOwner(identity);
  if ((lstatSync(data).mode & 0o077) !== 0) chmodSync(data, 0o700);
  if (lstatSync(data).uid === uid) return;
  for (const entry of readdirSync(data, { recursive: true, withFileTypes: true })) {
    lchownSync(join(entry.parentPath, entry.name), uid, gid);
  }
  // The folder comes last: if this is interrupted, the next start repeats all of it.
  chownSync(data, uid, gid);
}

async function initialize(data: string, programs: Programs): Promise<void> {
  const identity = initdbIdentity(programs.identity);
  mkdirSync(data, { mode: 0o700 });
  handOver(data, identity);
  const command: [string, ...string[]] = [
    programs.initdb,
    `--pgdata=${folderName(identity, data)}`,
    `--username=${USER}`,
    '--auth-local=trust',
    '--auth-host=reject',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--locale=C.UTF-8',
    '--no-instructions',
  ];
  const ending = await runAs(identity, command, data);
  if (ending.kind === 'exited' && ending.code === 0) return;
  const why = ending.kind === 'exited' ? ending.output : ending.error.message;
  if (identity.kind === 'namespace' && programs.identity.kind === 'self') {
    throw noEntry(`user id ${process.geteuid?.()} has no entry in /etc/passwd`, why);
  }
  throw new EmbeddedDatabaseError(
    'initialize-failed',
    `initdb could not create a database in ${data}; free the disk or check the folder's permissions, ${OTHER_DATABASE}. It said: ${why}`,
  );
}

function removeLeftovers(paths: Paths): void {
  const prefix = `${paths.data}.new-`;
  for (const name of readdirSync(paths.home)) {
    const path = join(paths.home, name);
    if (path.startsWith(prefix)) rmSync(path, { recursive: true, force: true });
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function listFolder(folder: string): string[] | undefined {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw new EmbeddedDatabaseError(
      'not-writable',
      `the database folder ${folder} cannot be read by this user; run as the user that created it, give it to this user with chown -R, or set CONTINUO_HOME to another folder`,
      { cause: error },
    );
  }
}

function wrongVersion(data: string, version: string): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    'wrong-version',
    `${data} was made by Postgres ${version}, and this program includes Postgres ${MAJOR_VERSION}, which cannot read it; run the program version that made it and export the data, or run a Postgres ${version} on that folder and set DATABASE_URL to it, or set CONTINUO_HOME to another folder to start with an empty database`,
  );
}
