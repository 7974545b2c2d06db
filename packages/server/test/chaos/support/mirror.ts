// A workspace, a home and what must be true of them after every crash.

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { expect, onTestFinished } from 'vitest';
import { until } from '@continuo/testkit';
import {
  freshDatabase,
  startMirrorPod,
  temporaryFolder,
  type MirrorPod,
  type MirrorPodOptions,
  type TestDatabase,
} from '@continuo/testkit/fixtures';

export interface Home {
  readonly folder: string;
  readonly root: string;
  start(options?: Partial<MirrorPodOptions>): Promise<MirrorPod>;
  /** What is wrong with the folder, if anything: it must be the database, byte for byte, with nothing else in it. */
  differences(): Promise<string[]>;
  equal(pod: MirrorPod): Promise<void>;
}

export interface Ground {
  readonly database: TestDatabase;
  readonly workspaceId: string;
  home(): Home;
  /** Whether some version of some file has this text in it; for small files. */
  wasSaid(text: string): Promise<boolean>;
}

export async function prepareGround(): Promise<Ground> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const workspaceId = uuidv7();
  await database.pool.query("insert into workspaces (id, name) values ($1, 'work')", [workspaceId]);
  return {
    database,
    workspaceId,
    home: () => createHome(database, workspaceId),
    wasSaid: async (text) => {
      const { rows } = await database.pool.query(
        `select 1 from files f join file_versions v on v.file_id = f.id join chunks c on c.hash = v.hash
          where f.workspace_id = $1 and position($2::bytea in c.data) > 0 limit 1`,
        [workspaceId, Buffer.from(text)],
      );
      return rows.length > 0;
    },
  };
}

function createHome(database: TestDatabase, workspaceId: string): Home {
  const folder = temporaryFolder('home');
  const root = join(folder, 'workspaces', 'work');
  const differences = async () => compare(onDisk(root), await inDatabase(database.pool, workspaceId));
  return {
    folder,
    root,
    start: (options = {}) => startMirrorPod({ url: database.url, home: folder, workspaceId, ...options }),
    differences,
    equal: async (pod) => {
      await until('it has the folder', async () => (await pod.ask({ kind: 'role' })) === 'owner');
      expect(await pod.ask({ kind: 'folder' })).toBe(root);
      expect(await differences()).toEqual([]);
    },
  };
}

function onDisk(root: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const path = join(entry.parentPath, entry.name);
    const text = readOrGone(path);
    if (text !== null) found.set(`/${relative(root, path)}`, text);
  }
  return found;
}

/** A temporary file may go while the folder is being read. */
function readOrGone(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

export async function inDatabase(pool: pg.Pool, workspaceId: string): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ path: string; data: Buffer | null }>(
    `select f.path, (
        select string_agg(c.data, '' order by u.place)
        from file_versions v, unnest(v.chunks) with ordinality u (hash, place)
        join chunks c on c.hash = u.hash
        where v.file_id = f.id and v.version = f.version
      ) as data
      from files f where f.workspace_id = $1 and f.removed_at is null`,
    [workspaceId],
  );
  return new Map(rows.map(({ path, data }) => [path, data?.toString('latin1') ?? '']));
}

function compare(disk: Map<string, string>, database: Map<string, string>): string[] {
  const different: string[] = [];
  for (const [path, text] of disk) {
    if (!database.has(path)) different.push(`${path} is on disk only`);
    else if (database.get(path) !== text)
      different.push(
        `${path} is ${text.slice(0, 60)} on disk and ${database.get(path)!.slice(0, 60)} in the database`,
      );
  }
  for (const path of database.keys()) if (!disk.has(path)) different.push(`${path} is not on disk`);
  return different;
}
