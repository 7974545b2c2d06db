// A home folder with a Postgres of its own, as its pods keep it, and the means to kill that Postgres.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { until } from './load.ts';

export interface Home {
  readonly folder: string;
  /** The process id of the Postgres that runs now, or ran last; 0 if there is none. */
  postmaster(): number;
  /** A pool on it; its connections break with it, and it makes new ones. */
  connect(): pg.Pool;
  /** Waits until the watchdog has stopped Postgres, then removes everything. */
  remove(): Promise<void>;
}

export function makeHome(): Home {
  const folder = mkdtempSync(join(tmpdir(), 'continuo-home-'));
  const file = join(folder, 'postgres', 'postmaster.pid');
  const line = (index: number) => {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    return text.split('\n')[index]?.trim() ?? '';
  };
  return {
    folder,
    postmaster: () => Number(line(0)),
    connect: () => {
      const pool = new pg.Pool({ host: line(4), user: 'continuo', database: 'continuo', max: 2 });
      pool.on('error', () => undefined);
      return pool;
    },
    remove: async () => {
      const pid = Number(line(0));
      await until(() => pid === 0 || !isAlive(pid));
      // The watchdog tidies up meanwhile, and a file that vanishes ends rmSync before its time.
      await until(() => {
        rmSync(folder, { recursive: true, force: true });
        return !existsSync(folder);
      });
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    // A zombie is dead, even if nobody has collected it.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] !== 'Z';
  } catch {
    return false;
  }
}
