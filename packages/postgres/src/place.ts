/**
 * A home folder may be mounted into several containers, but a server is visible only in the container that started it. The others
 * see neither its process nor its shared memory, and a second server on the same files would destroy them.
 */
import { readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { EmbeddedDatabaseError, systemCode } from './errors.ts';
import type { Paths } from './paths.ts';

/** Call before starting a server if other pods use the folder. */
export function refuseElsewhere(paths: Paths): void {
  const recorded = readPlace(paths.place);
  if (recorded === undefined || recorded === currentPlace()) return;
  throw new EmbeddedDatabaseError(
    'elsewhere',
    `${paths.home} is in use by a pod in another container, whose embedded Postgres cannot be reached from here; give each container a CONTINUO_HOME of its own, or run one Postgres for all and set DATABASE_URL to it`,
  );
}

export function recordPlace(paths: Paths): void {
  writeFileSync(paths.place, currentPlace(), { mode: 0o600 });
}

function readPlace(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function currentPlace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return 'host';
  }
}
