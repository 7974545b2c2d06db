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
