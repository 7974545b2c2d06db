// The names of files and folders that are made from titles.

import { problemWithName } from '../names/file-names.ts';

const NAME_BYTES = 120;

/** A file name that says what the title says, as far as a file name can. */
export function nameFor(title: string, fallback: string): string {
  const name = cut(
    title
      .normalize('NFC')
      .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
      .replaceAll(/[\\/:*?"<>|]+/g, '-')
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/^[.\s-]+|[.\s-]+$/g, ''),
  );
  return name === '' || problemWithName(name) !== null || problemWithName(`${name}.md`) !== null
    ? fallback
    : name;
}

/** A folder name for a project: lower case, with hyphens. */
export function folderFor(name: string): string {
  const plain = nameFor(name, 'project')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '');
  return plain === '' || problemWithName(plain) !== null ? 'project' : plain;
}

/** `name`, `name-2`, `name-3`, … */
export function numbered(name: string, n: number): string {
  return n === 1 ? name : `${name}-${n}`;
}

/** At most so many bytes, and no half characters. */
function cut(name: string): string {
  let result = '';
  for (const character of name) {
    if (Buffer.byteLength(result + character) > NAME_BYTES) break;
    result += character;
  }
  return result.trimEnd();
}
