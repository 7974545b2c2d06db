// The environment of a command, the same for every runner.

import { existsSync, lstatSync, readFileSync, readlinkSync } from 'node:fs';
import type { Execution } from './runner.ts';
import { PROXY_ENVIRONMENT, RELAYED } from './relay.ts';

export const SHM_BYTES = 64 * 1024 * 1024;
/** Where a command starts. */
export const HOME = '/workspace';
/** Read-only, if the host has them. */
export const SYSTEM_FILES = [
  '/etc/alternatives',
  '/etc/ld.so.cache',
  '/etc/localtime',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
];

/** /bin and its like: links into /usr on most systems, folders on some. */
export function rootFolders(): readonly { readonly path: string; readonly link: string | null }[] {
  return ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'].flatMap((path) => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found ? [{ path, link: found.isSymbolicLink() ? readlinkSync(path) : null }] : [];
  });
}

const SHELL = existsSync('/usr/bin/bash') ? '/usr/bin/bash' : '/bin/sh';
const ENTER = 'cd -- "$1" && exec "$0" -c "$2"';

/** The command in its shell, and behind the relay of its proxy if it has one. */
export function shellCommand({
  command,
  cwd,
  proxy,
}: Pick<Execution, 'command' | 'cwd' | 'proxy'>): readonly string[] {
  return [
    ...(proxy === null ? [] : RELAYED),
    ...(cwd === HOME ? [SHELL, '-c', command] : [SHELL, '-c', ENTER, SHELL, cwd, command]),
  ];
}

export function environment({
  env,
  proxy,
}: Pick<Execution, 'env' | 'proxy'>): readonly (readonly [string, string])[] {
  return Object.entries({ ...(proxy !== null && PROXY_ENVIRONMENT), ...env });
}

const FIRST_UID = 54400;

/** A user id that no account uses, below 65536 so that it exists in containers. */
export function freeUid(): number {
  const used = new Set(
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => Number(line.split(':')[2])),
  );
  let uid = FIRST_UID;
  while (used.has(uid)) uid += 1;
  return uid;
}
