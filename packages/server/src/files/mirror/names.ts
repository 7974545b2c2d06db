// Names on disk: the mirror's own files, editors' temporary files, and conflict copies.

import { randomBytes } from 'node:crypto';
import { NAME_BYTES, neverKept } from '../../names/file-names.ts';

const OWN = '.continuo-';
/** Notices to people at the top of the folder: what was quarantined, and which removals are held. */
export const NOTICE = 'continuo-quarantine.txt';
export const REMOVALS_NOTICE = 'continuo-removals.txt';

/** Temporary files of editors and desktops, as listed in docs/workspace.md. */
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

/** Names that the mirror ignores in every folder, unless the name is already a file of the workspace. */
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

/** Removes the last character, which may be two UTF-16 units long. */
function shorter(text: string): string {
  return text.slice(0, -1).replace(/[\uD800-\uDBFF]$/, '');
}
