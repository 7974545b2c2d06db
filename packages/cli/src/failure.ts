// What went wrong, for people and for programs, and the exit codes. docs/cli.md lists them.

import { red } from './output.ts';

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  noServer: 3,
  notFound: 4,
  conflict: 5,
  waiting: 6,
  interrupted: 130,
} as const;

/** A failure that the command found itself; `hint` says what to do. */
export class CommandError extends Error {
  readonly exitCode: number;
  readonly code: string;
  readonly hint: string | undefined;

  constructor(
    message: string,
    options: { readonly code: string; readonly exitCode?: number; readonly hint?: string },
  ) {
    super(message);
    this.code = options.code;
    this.exitCode = options.exitCode ?? EXIT.failed;
    this.hint = options.hint;
  }
}

export function usageError(message: string): CommandError {
  return new CommandError(message, { code: 'usage', exitCode: EXIT.usage });
}

interface Told {
  readonly exitCode: number;
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Tells it on stderr; answers the exit code. */
export function failure(error: unknown, json: boolean): number {
  const { exitCode, code, message, hint } = told(error);
  process.stderr.write(
    json
      ? `${JSON.stringify({ error: { code, message, ...(hint !== undefined && { hint }) } })}\n`
      : `${red('error')} ${message}\n${hint === undefined ? '' : `      ${hint}\n`}`,
  );
  return exitCode;
}

/** Of what is no answer of a server. */
const EXIT_OF: Readonly<Record<string, number>> = {
  not_empty: EXIT.conflict,
  is_a_folder: EXIT.usage,
  folder_not_found: EXIT.notFound,
  invalid_id: EXIT.usage,
  invalid_path: EXIT.usage,
};

/** Errors of the client and of the server are known by their fields: their modules need not be loaded for that. */
function told(error: unknown): Told {
  if (error instanceof CommandError) return error;
  if (!(error instanceof Error)) return { exitCode: EXIT.failed, code: 'failed', message: String(error) };
  const { code = 'failed', name, message } = error as Error & { code?: unknown };
  // Several refused connections are one error without words.
  const plain = { exitCode: EXIT.failed as number, code: String(code), message: message || String(code) };
  if (name === 'ConnectionError') {
    const hint =
      'Start a server with `continuo`, or say where one is: --url or CONTINUO_URL. `continuo doctor` looks further.';
    return { ...plain, exitCode: EXIT.noServer, hint };
  }
  if (name === 'ApiError') {
    const { status } = error as unknown as { status: number };
    const hint = status === 401 ? "Set CONTINUO_API_KEY to the server's key." : undefined;
    return { ...plain, exitCode: exitCodeOf(status), hint };
  }
  return { ...plain, exitCode: EXIT_OF[plain.code] ?? EXIT.failed };
}

function exitCodeOf(status: number): number {
  if (status === 404 || status === 410) return EXIT.notFound;
  return status === 409 || status === 412 ? EXIT.conflict : EXIT.failed;
}
