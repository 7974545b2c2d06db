// Operations on a database without a server: open, migrate, inspect, back up, restore. Separate from `server.ts`, which
// loads everything that a server needs.

import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinaries, openEmbedded } from '@continuo/postgres';
import { rgPath } from '@vscode/ripgrep';
import type { Config } from '../config/config.ts';
import type { DatabaseSettings } from '../db/pool.ts';
import { probeSandbox, type Probed, type Wanted } from '../sandbox/probe.ts';

export { backup, type Table as BackedUpTable } from './backup.ts';
export { restore } from './restore.ts';
export { ConfigError, loadConfig, type Config } from '../config/config.ts';
export { isBeforeFirstRelease, migrate, migrationState } from '../db/migrate.ts';

export interface OpenDatabase {
  readonly kind: 'embedded' | 'external';
  readonly settings: DatabaseSettings;
  close(): Promise<void>;
}

/**
 * Opens the configured database. The embedded one is started if it is not running, and stopped at the end if no other
 * process uses it.
 */
export async function openDatabase(
  config: Pick<Config, 'home' | 'databaseUrl' | 'directUrl' | 'leaseSeconds'>,
): Promise<OpenDatabase> {
  const embedded = config.databaseUrl === undefined ? await openEmbedded({ home: config.home }) : null;
  return {
    kind: embedded ? 'embedded' : 'external',
    settings: {
      connection: config.directUrl ?? embedded!.connection,
      applicationName: 'continuo-upkeep',
      leaseSeconds: config.leaseSeconds,
    },
    close: async () => embedded?.release(),
  };
}

/** Whether there is a database to open. Needed because opening would create the embedded one. */
export function hasDatabase(config: Pick<Config, 'home' | 'databaseUrl'>): boolean {
  return config.databaseUrl !== undefined || existsSync(join(config.home, 'postgres'));
}

/** Whether agents can run commands on this machine. */
export async function tryOutSandbox(wanted: Wanted): Promise<Probed> {
  const folder = await mkdtemp(join(tmpdir(), 'continuo-probe-'));
  try {
    return await probeSandbox(wanted, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The programs that the package includes, and what is wrong with them, if anything. */
export function programs(): { readonly name: 'postgres' | 'ripgrep'; readonly problem: string | null }[] {
  return [
    { name: 'postgres', problem: missing(() => join(findBinaries(), 'bin', 'postgres')) },
    { name: 'ripgrep', problem: missing(() => rgPath) },
  ];
}

function missing(find: () => string): string | null {
  try {
    const path = find();
    return existsSync(path) ? null : `${path} does not exist`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
