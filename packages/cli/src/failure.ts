// What went wrong, for people and for programs, and the exit codes. docs/cli.md lists them.

import { red, safe } from './output.ts';

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  noServer: 3,
  notFound: 4,
  conflict: 5,
  waiting: 6,
  /** Written out in bin/continuo.mjs, which an old Node must be able to read. */
  oldNode: 7,
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

export function usageError(message: string, hint?: string): CommandError {
  return new CommandError(message, { code: 'usage', exitCode: EXIT.usage, ...(hint && { hint }) });
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
      ? `${safe(JSON.stringify({ error: { code, message, ...(hint !== undefined && { hint }) } }))}\n`
      : `${red('error')} ${safe(message)}\n${hint === undefined ? '' : `      ${hint}\n`}`,
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
  invalid_header: EXIT.usage,
};

/** Errors of the client and of the server are known by their fields: their modules need not be loaded for that. */
function told(error: unknown): Told {
  if (error instanceof CommandError) return error;
  if (!(error instanceof Error)) return { exitCode: EXIT.failed, code: 'failed', message: String(error) };
  const { code = 'failed', name } = error as Error & { code?: unknown };
  const plain = { exitCode: EXIT.failed as number, code: String(code), message: inWords(error) };
  if (name === 'ConnectionError') {
    const hint =
      'Start a server with `continuo`, or say where one is: --url or CONTINUO_URL. `continuo doctor` looks further.';
    return { ...plain, exitCode: EXIT.noServer, hint };
  }
  if (name === 'ApiError') {
    const { status } = error as unknown as { status: number };
    return { ...plain, exitCode: exitCodeOf(status, plain.code), hint: HINTS[plain.code] };
  }
  return { ...plain, exitCode: EXIT_OF[plain.code] ?? EXIT.failed };
}

/** What can be done here about what a server refuses. */
const HINTS: Readonly<Record<string, string>> = {
  unauthorized: "Set CONTINUO_API_KEY to the server's key.",
  person_required:
    "Run this where the server was started, or set CONTINUO_HOME to its data folder, or CONTINUO_PERSON_TOKEN to the person's token.",
  file_not_found: 'See what there is with: continuo files ls -r',
  is_a_folder: 'See what is in it with: continuo files ls <folder>',
  version_conflict:
    'Read it with `continuo files cat`, and write with --base <that version>, or with --merge.',
  workspace_not_found: 'Name another one with -w; `default` is always there.',
};

/** What systems say of a file, in words. */
const SYSTEM: Readonly<Record<string, string>> = {
  ENOENT: 'is not there',
  EACCES: 'may not be used: permission denied',
  EPERM: 'may not be used: not permitted',
  EISDIR: 'is a folder',
  ENOTDIR: 'is not a folder',
  EEXIST: 'is there already',
};

export function inWords(error: Error): string {
  const { code, path, name, message } = error as NodeJS.ErrnoException;
  const words = SYSTEM[code ?? ''];
  if (words !== undefined && path !== undefined) return `${path} ${words}.`;
  if (name === 'ApiError') return withoutRequests(message);
  // Several refused connections are one error without words.
  return message || (code ?? name);
}

/** A server tells programs which request to make; whoever reads a terminal makes none. */
export function withoutRequests(text: string): string {
  const kept = text.split(/(?<=[.;?!]) /).filter((part) => !REQUEST.test(part));
  return kept.length === 0 ? text : kept.join(' ').replace(/;$/, '.');
}

const REQUEST = /\b(GET|POST|PUT|PATCH|DELETE) [/…]|\bIf-(None-)?Match\b|\bIdempotency-Key\b|`current`/;

function exitCodeOf(status: number, code: string): number {
  if (status === 400 && /^invalid_(path|params|query)$/.test(code)) return EXIT.usage;
  if (status === 404 || status === 410) return EXIT.notFound;
  return status === 409 || status === 412 ? EXIT.conflict : EXIT.failed;
}
