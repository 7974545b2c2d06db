// Programs that tests need and npm does not have: installed on demand where that is possible (root on Debian).

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withLock } from '../../../scripts/lock.mjs';

/** What `find` returns, after these packages are installed if it returned null. Null if they cannot be installed. */
export async function findOrInstall(
  find: () => string | null,
  packages: readonly [string, ...string[]],
): Promise<string | null> {
  const found = find();
  if (found !== null) return found;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get') || !existsSync('/etc/debian_version'))
    return null;
  return withLock(join(tmpdir(), `continuo-${packages[0]}.lock`), async () => {
    if (find() !== null) return find();
    try {
      const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
      const apt = (...args: string[]) => execFileSync('/usr/bin/apt-get', args, { env, stdio: 'ignore' });
      apt('update');
      apt('install', '--yes', '--no-install-recommends', ...packages);
    } catch {
      // The package mirrors cannot be reached: the tests are skipped and say so.
      return null;
    }
    return find();
  });
}
