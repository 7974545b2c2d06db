// A workspace with its folder on disk, on a real database and in a folder of the test's own.

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '@continuo/testkit/fixtures';
import { readWhole } from '../../../src/files/content.ts';
import { findFile, listFiles, type Author } from '../../../src/files/files.ts';
import { listVersions, type FileVersion } from '../../../src/files/versions.ts';
import { createMirrors, type DiskMirrors } from '../../../src/files/mirror/mirrors.ts';
import { parsePath, type FilePath } from '../../../src/files/paths.ts';
import { readHead, saveFile, type Saved } from '../../../src/files/save.ts';
import { Workspaces } from '../../../src/files/workspace-files.ts';
import { busOn } from '../../bus/support.ts';
import type { LogWorld } from '../../runs/support.ts';

export const person: Author = { kind: 'person' };

export function at(given: string): FilePath {
  const parsed = parsePath(given);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.path;
}

interface Warning {
  readonly text: string;
  readonly [field: string]: unknown;
}

export interface Desk {
  readonly workspaceId: string;
  readonly home: string;
  /** The visible folder. */
  readonly root: string;
  readonly mirrors: DiskMirrors;
  readonly workspaces: Workspaces;
  readonly warnings: readonly Warning[];
  /** A write as an agent makes it: committed, then flushed. */
  write(path: string, content: string | Uint8Array, base?: number | null): Promise<Saved>;
  /** What is on disk, by path; without the notice. */
  disk(): Record<string, string>;
  /** What the database says. */
  database(): Promise<Record<string, string>>;
  versions(path: string): Promise<readonly FileVersion[]>;
  text(version: FileVersion): Promise<string>;
  stop(): Promise<void>;
}

export interface DeskOptions {
  readonly home?: string;
  readonly workspaceId?: string;
  readonly name?: string;
  readonly faults?: (point: string) => void;
  readonly maxFileBytes?: number;
  readonly quotaBytes?: number;
}

async function createWorkspace(world: LogWorld, name = `w-${uuidv7()}`): Promise<string> {
  const id = uuidv7();
  await world.pool.query('insert into workspaces (id, name) values ($1, $2)', [id, name]);
  return id;
}

export async function openDesk(world: LogWorld, options: DeskOptions = {}): Promise<Desk> {
  const { pool } = world;
  const home = options.home ?? temporaryFolder('mirror');
  const workspaceId = options.workspaceId ?? (await createWorkspace(world, options.name));
  const { rows } = await pool.query<{ name: string }>('select name from workspaces where id = $1', [
    workspaceId,
  ]);
  const root = join(home, 'workspaces', rows[0]!.name);
  const warnings: Warning[] = [];
  const quotaBytes = options.quotaBytes ?? 2 ** 40;
  const workspaces = new Workspaces({
    bus: busOn(pool, { alone: true }),
    maxFileBytes: options.maxFileBytes ?? 32 * 1024 * 1024,
    quotaBytes,
  });
  const note = (fields: object, text: string) => void warnings.push({ text, ...fields });
  const mirrors = createMirrors({
    pool,
    database: { ...world.settings, leaseSeconds: 2 },
    home,
    workspaces,
    log: { info: () => undefined, warn: note, error: note },
    now: () => new Date(),
    faults: options.faults,
  });
  workspaces.attach(mirrors);
  await mirrors.start();
  let stopped: Promise<void> | null = null;
  const stop = () => (stopped ??= mirrors.stop());
  onTestFinished(stop);
  await mirrors.folder(workspaceId);
  return {
    workspaceId,
    home,
    root,
    mirrors,
    workspaces,
    warnings,
    write: async (path, content, base = null) => {
      const bytes = Buffer.from(content);
      const saved = await saveFile(pool, pool, {
        workspaceId,
        author: person,
        base,
        path: at(path),
        quotaBytes,
        stage: workspaces.stage,
        bytes,
        merge: true,
      });
      if (saved.kind === 'changed' || saved.kind === 'merged')
        await workspaces.committed(workspaceId, [{ ...saved, kind: 'changed' }]);
      return saved;
    },
    disk: () => readTree(root),
    database: () => readDatabase(world, workspaceId),
    versions: async (path) => {
      const file = await findFile(pool, workspaceId, at(path));
      return file ? listVersions(pool, file.id) : [];
    },
    text: async (version) => (await readWhole(pool, version.chunks)).toString(),
    stop,
  };
}

/** Every file in a folder, and whatever else is there by its kind. */
function readTree(root: string): Record<string, string> {
  const found: Record<string, string> = {};
  const folders = [root];
  for (let folder = folders.pop(); folder; folder = folders.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      const shown = `/${relative(root, path)}`;
      if (entry.isDirectory()) folders.push(path);
      else if (shown !== '/continuo-quarantine.txt')
        found[shown] = entry.isFile() ? readFileSync(path, 'latin1') : 'no file';
    }
  }
  return sorted(found);
}

async function readDatabase(world: LogWorld, workspaceId: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const file of await listFiles(world.pool, workspaceId, { folder: { path: '/', folded: '/' } }))
    found[file.path] = (await readHead(world.pool, file)).toString('latin1');
  return sorted(found);
}

/** Whether some version of some file of a workspace has this text in it; for small files. */
export async function wasSaid(world: LogWorld, workspaceId: string, text: string): Promise<boolean> {
  const { rows } = await world.pool.query(
    `select 1 from files f join file_versions v on v.file_id = f.id join chunks c on c.hash = v.hash
      where f.workspace_id = $1 and position($2::bytea in c.data) > 0 limit 1`,
    [workspaceId, Buffer.from(text)],
  );
  return rows.length > 0;
}

function sorted(of: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(of).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
