import { join } from 'node:path';

/** The paths of one embedded database. All of them except the socket are in the home folder. */
export interface Paths {
  readonly home: string;
  /** The cluster itself (PGDATA). */
  readonly data: string;
  /** The server's standard error. */
  readonly log: string;
  /** Held while a process starts or stops the server. */
  readonly lock: string;
  /** Identifies the container that the server was started in. */
  readonly place: string;
  /** The pipe that every pod holds open for writing, and the watchdog for reading. */
  readonly pods: string;
  /** The same pipe, renamed while the watchdog decides whether to stop the server. */
  readonly closing: string;
}

export function pathsIn(home: string): Paths {
  return {
    home,
    data: join(home, 'postgres'),
    log: join(home, 'postgres.log'),
    lock: join(home, 'postgres.lock'),
    place: join(home, 'postgres.place'),
    pods: join(home, 'postgres.pods'),
    closing: join(home, 'postgres.pods.closing'),
  };
}
