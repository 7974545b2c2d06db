// The home folder is private to its owner, because it holds transcripts, workspaces and keys.

import { chmodSync, mkdirSync, statSync } from 'node:fs';

/** Creates the folder, or makes an existing one private. A folder of another user, such as a mount, stays as it is. */
export function makePrivateHome(home: string): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const { mode, uid } = statSync(home);
  if ((mode & 0o077) === 0 || uid !== process.geteuid?.()) return;
  chmodSync(home, 0o700);
}
