// What was looked at, how it is, and what to do about it.

export interface Check {
  readonly name:
    | 'node'
    | 'settings'
    | 'disk'
    | 'programs'
    | 'database'
    | 'model'
    | 'port'
    | 'folders'
    | 'server';
  readonly status: 'ok' | 'warn' | 'bad';
  readonly says: string;
  /** How to mend it. */
  readonly mend?: string;
}
