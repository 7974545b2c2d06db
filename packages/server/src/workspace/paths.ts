// Paths in a workspace: `/notes/haiku.md`. What is accepted here is safe and means the same on every file system that a
// mirror may live on: NFC, no `..`, no control, bidirectional or invisible characters, no name that some system reserves.

import { fold } from '../case-folding.ts';

export const PATH_BYTES = 1024;
export const NAME_BYTES = 255;
export const PATH_DEPTH = 64;

export interface FilePath {
  /** Begins with a slash. */
  readonly path: string;
  /** As it is compared: no two live files differ only by case. */
  readonly folded: string;
}

export type ParsedPath =
  | { readonly ok: true; readonly path: FilePath }
  | { readonly ok: false; readonly problem: string };

/** Control, format, private and unassigned characters, separators of lines; the joiners of scripts and emoji stay. */
const INVISIBLE = /[\p{Cc}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]|(?![\u200C\u200D])\p{Cf}/u;
/** What Windows does not allow in a name. */
const FORBIDDEN = /[\\:*?"<>|]/;
const DEVICE =
  /^(con|prn|aux|nul|com[\d\u00B9\u00B2\u00B3]|lpt[\d\u00B9\u00B2\u00B3]|conin\$|conout\$)(\.|$)/;

/** Names that are never kept: a repository's hooks run on a person's machine, the mirror's own files are its own. */
const OWN = /^\.continuo/;
const NEVER_KEPT: ReadonlySet<string> = new Set([
  '.git',
  'node_modules',
  'continuo-quarantine.txt',
  'continuo-removals.txt',
]);

/** A file's path, with or without its first slash. */
export function parsePath(given: string): ParsedPath {
  const refused = (problem: string): ParsedPath => ({ ok: false, problem });
  if (given.length > PATH_BYTES * 2) return refused(`a path has at most ${PATH_BYTES} bytes`);
  const normal = given.normalize('NFC').replace(/^\//, '');
  if (normal === '') return refused('a path names a file, such as /notes/haiku.md');
  const path = `/${normal}`;
  if (Buffer.byteLength(path) > PATH_BYTES) return refused(`a path has at most ${PATH_BYTES} bytes`);
  const names = normal.split('/');
  if (names.length > PATH_DEPTH) return refused(`a path has at most ${PATH_DEPTH} names`);
  for (const name of names) {
    const problem = problemWithName(name);
    if (problem) return refused(problem);
  }
  return { ok: true, path: { path, folded: fold(path) } };
}

/** A folder's path: `/`, or like a file's, with or without a slash at its end. */
export function parseFolder(given: string): ParsedPath {
  if (given === '' || given === '/' || given === '.') return { ok: true, path: { path: '/', folded: '/' } };
  return parsePath(given.endsWith('/') ? given.slice(0, -1) : given);
}

/** What is wrong with one name of a path, or null. */
export function problemWithName(name: string): string | null {
  const shown = JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name);
  if (name === '') return 'a path has no empty name: no double slash, and none at its end';
  if (name === '.' || name === '..') return `a path has no ${shown}: write where it leads`;
  if (INVISIBLE.test(name)) return `${shown} has a control or invisible character`;
  if (name.normalize('NFC') !== name) return `${shown} is not in the Unicode form NFC`;
  const forbidden = FORBIDDEN.exec(name);
  if (forbidden) return `${shown} has the character ${forbidden[0]}, which some systems do not allow`;
  if (/[. ]$/.test(name)) return `${shown} ends with a dot or a space, which some systems drop`;
  if (name.startsWith(' ')) return `${shown} begins with a space`;
  if (Buffer.byteLength(name) > NAME_BYTES) return `${shown} has more than ${NAME_BYTES} bytes`;
  const folded = fold(name);
  if (DEVICE.test(folded)) return `${shown} is the name of a device on some systems`;
  if (neverKept(name)) return `${shown} is a name that a workspace does not keep`;
  return null;
}

export function neverKept(name: string): boolean {
  const folded = fold(name);
  return OWN.test(folded) || NEVER_KEPT.has(folded);
}

/** Chats are shown as files and written by nobody. */
export function isReadOnly({ folded }: FilePath): boolean {
  return folded === '/chats' || folded.startsWith('/chats/');
}

/** Whether a path holds, or is, what agents are told and may do: role files, and AGENTS.md. */
export function governsAgents({ folded }: FilePath): boolean {
  return folded === '/agents' || folded.startsWith('/agents/') || folded === '/agents.md';
}

/** The kind of object that a path names. */
export function kindOf({ folded }: FilePath): 'file' | 'agent' | 'plan' {
  if (/^\/agents\/[^/]+\.md$/.test(folded)) return 'agent';
  if (/^\/plans\/[^/]+\.plan$/.test(folded)) return 'plan';
  return 'file';
}
