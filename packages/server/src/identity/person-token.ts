// The person's token. Its holder may decide approvals, configure the server, and extend what agents may do. The first start
// creates it, in a file of the home that only the file's owner can read. The command line reads the same file.

import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export { isLoopback } from '../loopback.ts';

const FILE = 'person-token';
const TOKEN = /^[\w-]{43}$/;

/** The token of a home; null if there is none yet. */
export async function readPersonToken(home: string): Promise<string | null> {
  const path = join(home, FILE);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  if (text === null) return null;
  const token = text.trim();
  if (TOKEN.test(token)) return token;
  throw new Error(
    `${path} does not hold a person's token (43 letters, digits, - and _). Remove the file; the next start creates a new one.`,
  );
}

/** Reads the home's token, or creates it. Pods that start at the same time end up with the same token. */
export async function keepPersonToken(home: string): Promise<string> {
  const path = join(home, FILE);
  const found = await readPersonToken(home);
  if (found !== null) {
    await chmod(path, 0o600);
    return found;
  }
  await mkdir(home, { recursive: true, mode: 0o700 });
  const token = randomBytes(32).toString('base64url');
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `${token}\n`, { mode: 0o600, flag: 'wx' });
  try {
    // A link, unlike a rename, never replaces the token that another pod made meanwhile.
    await link(draft, path);
    return token;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return (await readPersonToken(home))!;
  } finally {
    await unlink(draft);
  }
}

/** A link that gives a browser the token: after the #, so that no proxy, server or log sees it. */
export function personLink(url: string, token: string): string {
  return `${url}/#token=${token}`;
}
