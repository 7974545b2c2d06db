// The home folder: only its owner may look into it, since it holds transcripts, workspaces and keys.

import { chmodSync, mkdirSync, statSync } from 'node:fs';

/** Makes it, or makes it private where it is not. A folder of another user, a mounted one say, stays as it is. */
export function makePrivateHome(home: string): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const { mode, uid } = statSync(home);
  if ((mode & 0o077) === 0 || uid !== process.geteuid?.()) return;
  chmodSync(home, 0o700);
}
