/**
 * The shared libraries have several names, which are symbolic links. npm packages cannot contain links: an install script makes
 * them, but install scripts may be disabled.
 */
import { lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { systemCode } from './errors.ts';

/** Makes the missing links. False if they cannot be made here. */
export function completeLinks(native: string): boolean {
  try {
    for (const link of readLinks(native)) makeLink(link.path, link.to);
    return true;
  } catch {
    return false;
  }
}

export function makeLink(path: string, to: string): void {
  try {
    lstatSync(path);
  } catch {
    try {
      symlinkSync(to, path);
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
  }
}

interface Link {
  readonly path: string;
  readonly to: string;
}

/** pg-symlinks.json lists both ends relative to the package's root, as `native/…`. */
export function readLinks(native: string): Link[] {
  const listed = parseLinks(join(native, 'pg-symlinks.json'));
  return listed.map(({ source, target }) => ({
    path: join(native, relative('native', target)),
    to: relative(dirname(target), source),
  }));
}

function parseLinks(file: string): { source: string; target: string }[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
  return JSON.parse(text) as { source: string; target: string }[];
}
