/**
 * The user that runs the database's programs. Postgres refuses to run as root, so root switches to another user:
 *
 * 1. By setting a user id that no other account uses (in particular not `nobody`, which sandboxes like to use). Postgres
 *    itself needs no passwd entry, only initdb does: initdb runs as an account of /etc/passwd, and its files are handed over
 *    afterwards.
 * 2. If there is no other user id (in a container that has only root), in a user namespace that maps root to another id. The
 *    kernel still sees root, without its capabilities.
 *
 * The other user may lack access to the parents of the home folder, such as /root. So each program starts inside its
 * folder and refers to it as /proc/self/cwd, which the kernel resolves without checking the parents.
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { EmbeddedDatabaseError, OTHER_DATABASE } from './errors.ts';

export type Identity =
  | { readonly kind: 'self' }
  | { readonly kind: 'user'; readonly uid: number; readonly gid: number }
  | { readonly kind: 'namespace'; readonly uid: number };

interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** Part of util-linux. */
const UNSHARE = 'unshare';
/** Below 65536, so that it exists within the id ranges of containers. */
const FIRST_FREE_UID = 54320;

/** The identities that can run the server, best first. `owner` is the owner of an existing data folder. */
export function serverIdentities(owner: { uid: number; gid: number } | undefined): Identity[] {
  if (process.geteuid?.() !== 0) return [{ kind: 'self' }];
  const accounts = readAccounts();
  const user = owner && owner.uid !== 0 ? userIdentity(owner.uid, owner.gid) : freeUser(accounts);
  if (process.platform !== 'linux') return [user];
  return [user, { kind: 'namespace', uid: ordinaryAccount(accounts)?.uid ?? 65534 }];
}

/** The identity that runs initdb; its files can be handed over to the server's identity. */
export function initdbIdentity(server: Identity): Identity {
  const account = ordinaryAccount(readAccounts());
  if (server.kind === 'user') {
    if (account) return userIdentity(account.uid, account.gid);
    throw noEntry('/etc/passwd has no account other than root');
  }
  if (server.kind === 'self' && hasEntry()) return server;
  if (!account || process.platform !== 'linux') {
    throw noEntry(`user id ${process.geteuid?.()} has no entry in /etc/passwd`);
  }
  return { kind: 'namespace', uid: account.uid };
}

export function noEntry(what: string, cause?: unknown): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    'no-user-entry',
    `${what}, and initdb cannot create a database without one; run as a user that has an entry (or add a line to /etc/passwd), ${OTHER_DATABASE}`,
    { cause },
  );
}

/** The user id that the files need on disk. */
export function fileOwner(identity: Identity): { uid: number; gid: number } {
  if (identity.kind === 'user') return identity;
  return { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
}

/** The name by which a program that starts inside `folder` should refer to it. */
export function folderName(identity: Identity, folder: string): string {
  return identity.kind !== 'self' && process.platform === 'linux' ? '/proc/self/cwd' : folder;
}

/** The environment of the database's programs. Contains no other variables of this process. */
const ENVIRONMENT = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' };

export function spawnAs(
  identity: Identity,
  command: readonly [string, ...string[]],
  options: SpawnOptions,
): ChildProcess {
  const [program, ...args] = command;
  const shared = { ...options, env: ENVIRONMENT };
  if (identity.kind === 'self') return spawn(program, args, shared);
  if (identity.kind === 'user') {
    return spawn(program, args, { ...shared, uid: identity.uid, gid: identity.gid });
  }
  const map = [`--map-user=${identity.uid}`, `--map-group=${identity.uid}`];
  return spawn(UNSHARE, ['--user', ...map, '--', program, ...args], shared);
}

export type Ending =
  | { readonly kind: 'exited'; readonly code: number | null; readonly output: string }
  | { readonly kind: 'not-started'; readonly error: Error };

/** Runs a program to its end and returns its output. */
export function runAs(
  identity: Identity,
  command: readonly [string, ...string[]],
  cwd = '/',
): Promise<Ending> {
  return new Promise((resolve) => {
    let output = '';
    const child = tryToSpawn(identity, command, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    if (child instanceof Error) return resolve({ kind: 'not-started', error: child });
    const keep = (chunk: Buffer) => (output += chunk.toString());
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.once('error', (error) => resolve({ kind: 'not-started', error }));
    child.once('close', (code) => resolve({ kind: 'exited', code, output: output.trim() }));
  });
}

/** Node throws some spawn errors and emits others. */
function tryToSpawn(...args: Parameters<typeof spawnAs>): ChildProcess | Error {
  try {
    return spawnAs(...args);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function freeUser(accounts: readonly Account[]): Identity {
  const used = new Set(accounts.map((account) => account.uid));
  let uid = FIRST_FREE_UID;
  while (used.has(uid)) uid += 1;
  return userIdentity(uid, uid);
}

function userIdentity(uid: number, gid: number): Identity {
  return { kind: 'user', uid, gid };
}

function ordinaryAccount(accounts: readonly Account[]): Account | undefined {
  return (
    accounts.find((account) => account.name === 'nobody') ?? accounts.find((account) => account.uid !== 0)
  );
}

function hasEntry(): boolean {
  try {
    userInfo();
    return true;
  } catch {
    return false;
  }
}

function readAccounts(): Account[] {
  let text: string;
  try {
    text = readFileSync('/etc/passwd', 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    return name && /^\d+$/.test(uid ?? '') ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
}
