// Reports errors to people and programs, and defines the exit codes. docs/cli.md lists them.

import { red, safe } from './output.ts';

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  noServer: 3,
  notFound: 4,
  conflict: 5,
  waiting: 6,
  /** Repeated in bin/continuo.mjs, which an old Node must be able to read. */
  oldNode: 7,
  interrupted: 130,
} as const;

/** An error that the command itself found; `hint` says what to do. */
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

interface Report {
  readonly exitCode: number;
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Reports the error on stderr; returns the exit code. */
export function failure(error: unknown, json: boolean): number {
  const { exitCode, code, message, hint } = reportOf(error);
  process.stderr.write(
    json
      ? `${safe(JSON.stringify({ error: { code, message, ...(hint !== undefined && { hint }) } }))}\n`
      : `${red('error')} ${safe(message)}\n${hint === undefined ? '' : `      ${hint}\n`}`,
  );
  return exitCode;
}

/** Exit codes of errors that are not server responses. */
const EXIT_CODES: Readonly<Record<string, number>> = {
  not_empty: EXIT.conflict,
  is_a_folder: EXIT.usage,
  folder_not_found: EXIT.notFound,
  invalid_id: EXIT.usage,
  invalid_path: EXIT.usage,
  invalid_header: EXIT.usage,
};

/** Errors of the client and the server are recognized by their fields, so that their modules need not be loaded. */
function reportOf(error: unknown): Report {
  if (error instanceof CommandError) return error;
  if (!(error instanceof Error)) return { exitCode: EXIT.failed, code: 'failed', message: String(error) };
  const { code = 'failed', name } = error as Error & { code?: unknown };
  const plain = { exitCode: EXIT.failed as number, code: String(code), message: describeError(error) };
  if (name === 'ConnectionError') {
    const hint =
      'Start a server with `continuo`, or name one with --url or CONTINUO_URL. `continuo doctor` looks for problems.';
    return { ...plain, exitCode: EXIT.noServer, hint };
  }
  if (name === 'ApiError') {
    const { status, problem } = error as unknown as { status: number; problem?: { current?: unknown } };
    const isEntity = plain.code === 'version_conflict' && hasEdges(problem?.current);
    const hint = isEntity ? ENTITY_CONFLICT : HINTS[plain.code];
    return { ...plain, exitCode: exitCodeOf(status, plain.code), hint };
  }
  return { ...plain, exitCode: EXIT_CODES[plain.code] ?? EXIT.failed };
}

/** What to do about refusals of the server. */
const HINTS: Readonly<Record<string, string>> = {
  unauthorized: "Set CONTINUO_API_KEY to the server's key.",
  person_required:
    "Run this where the server was started, or set CONTINUO_HOME to its data folder, or CONTINUO_PERSON_TOKEN to the person's token.",
  file_not_found: 'List the files with: continuo files ls -r',
  is_a_folder:
    'List the folder with `continuo files ls <folder>`, or remove it with `continuo files rm -r <folder>`.',
  version_conflict:
    'Read the file with `continuo files cat`, then write with --base <that version>, or with --merge.',
  project_not_found: 'List the projects with: continuo projects list',
  document_not_found: 'See the tree with: continuo documents tree',
  workspace_not_found: 'List the workspaces with: continuo workspaces list',
  chat_not_found: 'List the chats with: continuo chats list',
};

const ENTITY_CONFLICT =
  'Read it again, then repeat the command with --base <its version now>, or without --base.';

/** Whether a conflict is about an entity, and not about a file. */
function hasEdges(current: unknown): boolean {
  return typeof current === 'object' && current !== null && 'edges' in current;
}

/** System errors about files, in words. */
const SYSTEM: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'cannot be accessed: permission denied',
  EPERM: 'cannot be accessed: not permitted',
  EISDIR: 'is a folder',
  ENOTDIR: 'is not a folder',
  EEXIST: 'already exists',
};

export function describeError(error: Error): string {
  const { code, path, name, message } = error as NodeJS.ErrnoException;
  const words = SYSTEM[code ?? ''];
  if (words !== undefined && path !== undefined) return `${path} ${words}.`;
  if (name === 'ApiError') return withoutRequests(message);
  // Several refused connections are one error without a message.
  return message || (code ?? name);
}

/** Removes sentences about HTTP requests, which help programs but not a person at a terminal. */
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
