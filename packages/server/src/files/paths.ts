// Paths in a workspace, such as `/notes/haiku.md`. An accepted path is safe, and means the same on every file system
// that a mirror can be on: NFC, no `..`, no control, bidirectional or invisible characters, no reserved names.

import { fold } from '../names/case-folding.ts';
import { problemWithName } from '../names/file-names.ts';

export const PATH_BYTES = 1024;
export const PATH_DEPTH = 64;

export interface FilePath {
  /** Begins with a slash. */
  readonly path: string;
  /** For comparison: no two live files differ only in case. */
  readonly folded: string;
}

export type ParsedPath =
  | { readonly ok: true; readonly path: FilePath }
  | { readonly ok: false; readonly problem: string };

/** Parses a file's path, with or without its leading slash. */
export function parsePath(given: string): ParsedPath {
  const refused = (problem: string): ParsedPath => ({ ok: false, problem });
  if (given.length > PATH_BYTES * 2) return refused(`a path may have at most ${PATH_BYTES} bytes`);
  const normal = given.normalize('NFC').replace(/^\//, '');
  if (normal === '') return refused('a path must name a file, such as /notes/haiku.md');
  const path = `/${normal}`;
  if (Buffer.byteLength(path) > PATH_BYTES) return refused(`a path may have at most ${PATH_BYTES} bytes`);
  const names = normal.split('/');
  if (names.length > PATH_DEPTH) return refused(`a path may have at most ${PATH_DEPTH} names`);
  for (const name of names) {
    const problem = problemWithName(name);
    if (problem) return refused(problem);
  }
  return { ok: true, path: { path, folded: fold(path) } };
}

/** Parses a folder's path: `/`, or like a file's, with or without a trailing slash. */
export function parseFolder(given: string): ParsedPath {
  if (given === '' || given === '/' || given === '.') return { ok: true, path: { path: '/', folded: '/' } };
  return parsePath(given.endsWith('/') ? given.slice(0, -1) : given);
}

/** Chats appear as files that nobody can write. */
export function isReadOnly({ folded }: FilePath): boolean {
  return folded === '/chats' || folded.startsWith('/chats/');
}

/** Whether a path is part of what governs agents: role files, skills and AGENTS.md. */
export function governsAgents({ folded }: FilePath): boolean {
  return /^\/\.?agents(\/|$)/.test(folded) || folded === '/agents.md';
}

/** The kind of object that a path names. */
export function kindOf({ folded }: FilePath): 'file' | 'agent' | 'plan' {
  if (/^\/agents\/[^/]+\.md$/.test(folded)) return 'agent';
  if (/^(\/projects\/[^/]+)?\/plans\/[^/]+\.plan$/.test(folded)) return 'plan';
  return 'file';
}
