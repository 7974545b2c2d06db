// Names on disk: which are the mirror's own, which are an editor's, and how a second content is called.

import { randomBytes } from 'node:crypto';
import { NAME_BYTES, neverKept } from '../../file-names.ts';

const OWN = '.continuo-';
/** What people are told by, at the top of the folder: what was quarantined, and which removals are held back. */
export const NOTICE = 'continuo-quarantine.txt';
export const REMOVALS_NOTICE = 'continuo-removals.txt';

/** Editors' and desktops' temporary files: docs/workspace.md lists them. */
const EDITORS = [
  /^4913$/,
  /^\..*\.sw[a-px]$/,
  /~$/,
  /^\.#/,
  /^#.*#$/,
  /^~\$/,
  /^\.~lock\..*#$/,
  /^\.goutputstream-/,
  /^\.(DS_Store|localized|Spotlight-V100|Trashes|fseventsd)$/,
  /^\._/,
  /^(Thumbs\.db|desktop\.ini)$/i,
  /^\.nfs[\da-f]+$/,
  /\.(kate-swp|crdownload|part)$/,
  /___jb_(tmp|old)___$/,
];

export function temporaryName(): string {
  return `${OWN}${randomBytes(9).toString('base64url')}.new`;
}

export function captureName(): string {
  return `${OWN}${randomBytes(9).toString('base64url')}.old`;
}

export function isNotice(name: string): boolean {
  return name === NOTICE || name === REMOVALS_NOTICE;
}

export function isOwn(name: string): boolean {
  return name.startsWith(OWN);
}

export function isTemporary(name: string): boolean {
  return isOwn(name) && name.endsWith('.new');
}

export function isCapture(name: string): boolean {
  return isOwn(name) && name.endsWith('.old');
}

/** What is left alone, wherever it is, unless it is a file of the workspace already. */
export function isIgnored(name: string): boolean {
  return neverKept(name) || EDITORS.some((pattern) => pattern.test(name));
}

/** `/notes/a.md` becomes `/notes/a.conflict-2026-03-01T10-20-30-400Z.md`. */
export function conflictPath(path: string, at: Date): string {
  const mark = `.conflict-${at.toISOString().replaceAll(/[:.]/g, '-')}`;
  const slash = path.lastIndexOf('/');
  const name = path.slice(slash + 1);
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && Buffer.byteLength(name) - dot <= 16 ? name.slice(dot) : '';
  let stem = name.slice(0, name.length - extension.length);
  while (Buffer.byteLength(stem + mark + extension) > NAME_BYTES) stem = shorter(stem);
  return `${path.slice(0, slash + 1)}${stem}${mark}${extension}`;
}

/** Without its last character, which may be two units long. */
function shorter(text: string): string {
  return text.slice(0, -1).replace(/[\uD800-\uDBFF]$/, '');
}
