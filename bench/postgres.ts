// The benchmark's Postgres: the embedded one, in a temporary folder on a real disk, with its promises kept.

import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '@continuo/postgres';
import pg from 'pg';
import { migrate } from '@continuo/server/upkeep';
import { pause } from './measure/clock.ts';

export interface Postgres {
  /** The process that all its others descend from. */
  readonly postmaster: number;
  readonly version: string;
  readonly fileSystem: string;
  readonly settings: string;
  /** An empty database, without tables; its URL. */
  create(name: string): Promise<string>;
  drop(name: string): Promise<void>;
  stop(): Promise<void>;
}

const TMPFS = 0x01021994;
const RAMFS = 0x858458f6;
const FILE_SYSTEMS: Readonly<Record<number, string>> = {
  0xef53: 'ext4',
  0x58465342: 'xfs',
  0x9123683e: 'btrfs',
  0x794c7630: 'overlayfs',
  0x2fc12fc1: 'zfs',
};

export async function startPostgres(): Promise<Postgres> {
  const home = mkdtempSync(join(tmpdir(), 'continuo-bench-'));
  try {
    const fileSystem = diskOf(home);
    const embedded = await openEmbedded({ home });
    const stop = async () => {
      await embedded.release();
      await remove(home);
    };
    try {
      return {
        ...(await describe(embedded.url, join(home, 'postgres', 'postmaster.pid'))),
        fileSystem,
        stop,
      };
    } catch (error) {
      await stop();
      throw error;
    }
  } catch (error) {
    await remove(home);
    throw error;
  }
}

export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  // A query that is lost with the connection says so itself.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** A database with the server's tables; its URL. */
export async function createMigrated(postgres: Postgres, name: string): Promise<string> {
  const url = await postgres.create(name);
  await migrate({ connection: url, applicationName: 'continuo-bench', leaseSeconds: 5 });
  return url;
}

async function describe(url: string, pidFile: string): Promise<Omit<Postgres, 'fileSystem' | 'stop'>> {
  const show = async (name: string) => (await once(url, `show ${name}`))[0]![name] as string;
  const promises = { fsync: await show('fsync'), synchronous_commit: await show('synchronous_commit') };
  if (promises.fsync !== 'on' || promises.synchronous_commit !== 'on')
    throw new Error(`Postgres does not keep its promises: ${JSON.stringify(promises)}`);
  return {
    postmaster: Number(readFileSync(pidFile, 'utf8').split('\n')[0]),
    version: await show('server_version'),
    settings: `fsync on, synchronous_commit on, shared_buffers ${await show('shared_buffers')}`,
    create: async (name) => {
      await once(url, `create database ${name}`);
      const created = new URL(url);
      created.pathname = `/${name}`;
      return created.href;
    },
    drop: async (name) => void (await once(url, `drop database ${name} with (force)`)),
  };
}

async function once(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = await connect(url);
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** The server's watchdog removes a file of its own there, and a folder that changes meanwhile is left half removed. */
async function remove(folder: string): Promise<void> {
  for (let tries = 0; tries < 20 && existsSync(folder); tries += 1) {
    rmSync(folder, { recursive: true, force: true });
    await pause(50);
  }
}

function diskOf(folder: string): string {
  const { type } = statfsSync(folder);
  if (type === TMPFS || type === RAMFS)
    throw new Error(`${folder} is in memory, where a commit costs nothing; set TMPDIR to a folder on a disk`);
  return FILE_SYSTEMS[type] ?? `file system 0x${type.toString(16)}`;
}
