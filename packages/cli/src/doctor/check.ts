// The result of a check, and how to fix a problem.

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
    | 'sandbox'
    | 'server';
  readonly status: 'ok' | 'warn' | 'bad';
  readonly says: string;
  /** How to fix the problem. */
  readonly mend?: string;
}
