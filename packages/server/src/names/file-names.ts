// Validates names of files and folders. An accepted name is safe, and means the same on every file system.

import { fold } from './case-folding.ts';

export const NAME_BYTES = 255;

/**
 * Control, format, surrogate and unassigned characters, and line separators. The zero-width joiners of scripts and
 * emoji are allowed.
 */
const INVISIBLE = /[\p{Cc}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]|(?![\u200C\u200D])\p{Cf}/u;
/** Characters that Windows does not allow in a name. */
const FORBIDDEN = /[\\:*?"<>|]/;
const DEVICE =
  /^(con|prn|aux|nul|com[\d\u00B9\u00B2\u00B3]|lpt[\d\u00B9\u00B2\u00B3]|conin\$|conout\$)(\.|$)/;

/**
 * Names that a workspace never keeps: a Git repository's hooks would run on a person's machine, and the mirror's own
 * files are not a person's.
 */
const OWN = /^\.continuo/;
const NEVER_KEPT: ReadonlySet<string> = new Set([
  '.git',
  'node_modules',
  'continuo-quarantine.txt',
  'continuo-removals.txt',
]);

/** What is wrong with one name of a path, or null. */
export function problemWithName(name: string): string | null {
  const quoted = JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name);
  if (name === '') return 'a path must not contain an empty name (a double or trailing slash)';
  if (name === '.' || name === '..')
    return `a path must not contain ${quoted}; write the path that it leads to`;
  if (INVISIBLE.test(name)) return `${quoted} contains a control or invisible character`;
  if (name.normalize('NFC') !== name) return `${quoted} is not in Unicode form NFC`;
  const forbidden = FORBIDDEN.exec(name);
  if (forbidden) return `${quoted} contains the character ${forbidden[0]}, which some systems do not allow`;
  if (/[. ]$/.test(name)) return `${quoted} ends with a dot or a space, which some systems drop`;
  if (name.startsWith(' ')) return `${quoted} begins with a space`;
  if (Buffer.byteLength(name) > NAME_BYTES) return `${quoted} is longer than ${NAME_BYTES} bytes`;
  const folded = fold(name);
  if (DEVICE.test(folded)) return `${quoted} is a device name on some systems`;
  if (neverKept(name)) return `${quoted} is a name that workspaces do not store`;
  return null;
}

export function neverKept(name: string): boolean {
  const folded = fold(name);
  return OWN.test(folded) || NEVER_KEPT.has(folded);
}
