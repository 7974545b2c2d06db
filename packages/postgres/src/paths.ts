import { join } from 'node:path';

/** Where everything of one embedded database lives. All of it but the socket is in the home folder. */
export interface Paths {
  readonly home: string;
  /** The cluster itself (PGDATA). */
  readonly data: string;
  /** What the server says on its standard error. */
  readonly log: string;
  /** Held while a process starts or stops the server. */
  readonly lock: string;
  /** Names the container that the server was started in. */
  readonly place: string;
  /** The pipe that every pod holds open for writing, and the watchdog for reading. */
  readonly pods: string;
  /** The same pipe while the watchdog makes up its mind to stop the server. */
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
