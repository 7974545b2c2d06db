/** Errors of the embedded database. Each message says what to do. */
export type EmbeddedErrorCode =
  | 'unsupported-platform'
  | 'binaries-missing'
  | 'binaries-unusable'
  | 'wrong-version'
  | 'not-a-cluster'
  | 'no-user-entry'
  | 'cannot-drop-root'
  | 'not-writable'
  | 'unsafe-socket-folder'
  | 'initialize-failed'
  | 'start-failed'
  | 'elsewhere'
  | 'watchdog-failed'
  | 'busy'
  | 'released';

export class EmbeddedDatabaseError extends Error {
  override readonly name = 'EmbeddedDatabaseError';
  readonly code: EmbeddedErrorCode;

  constructor(code: EmbeddedErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** An alternative that every error message can offer. */
export const OTHER_DATABASE = 'or set DATABASE_URL to a Postgres that you run yourself';

/** The `code` of a system error; undefined for other errors. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
