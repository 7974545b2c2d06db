// Secrets of the server itself, each in a file of the home that only its owner can read. The first start creates them.

import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface HomeSecret {
  readonly file: string;
  /** What the file holds, for the sentence that says it does not. */
  readonly what: string;
  /** What happens when the file is removed, and a start makes another. */
  readonly advice: string;
}

const SECRET = /^[\w-]{43}$/;

/** Null if the home has none yet. */
export async function readHomeSecret(
  home: string,
  { file, what, advice }: HomeSecret,
): Promise<string | null> {
  const path = join(home, file);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  if (text === null) return null;
  const secret = text.trim();
  if (SECRET.test(secret)) return secret;
  throw new Error(`${path} does not contain ${what} (43 letters, digits, - and _). ${advice}`);
}

/** Reads the secret, or creates it. Pods that start at the same time end up with the same one. */
export async function keepHomeSecret(home: string, which: HomeSecret): Promise<string> {
  const path = join(home, which.file);
  const found = await readHomeSecret(home, which);
  if (found !== null) {
    await chmod(path, 0o600);
    return found;
  }
  await mkdir(home, { recursive: true, mode: 0o700 });
  const secret = randomBytes(32).toString('base64url');
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `${secret}\n`, { mode: 0o600, flag: 'wx' });
  try {
    // A link, unlike a rename, never replaces the secret that another pod made meanwhile.
    await link(draft, path);
    return secret;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return (await readHomeSecret(home, which))!;
  } finally {
    await unlink(draft);
  }
}
