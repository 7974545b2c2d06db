// The browser of the tests: the machine's Chromium, installed on demand if possible (root on Debian). The headless
// shell comes first: it renders the same with a third of the CPU time.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withLock } from '../../../../scripts/lock.mjs';

const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Null if there is none and it cannot be installed. */
export const chromiumPath: string | null = find() ?? (await install());

/** For the titles of skipped tests. */
export const WITHOUT =
  chromiumPath === null ? ' (skipped: there is no Chromium; install it to run this)' : '';

function find(): string | null {
  return PLACES.find((place) => existsSync(place)) ?? null;
}

async function install(): Promise<string | null> {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get') || !existsSync('/etc/debian_version'))
    return null;
  return withLock(join(tmpdir(), 'continuo-chromium.lock'), async () => {
    if (find()) return find();
    try {
      const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
      const apt = (...args: string[]) => execFileSync('/usr/bin/apt-get', args, { env, stdio: 'ignore' });
      apt('update');
      apt('install', '--yes', '--no-install-recommends', 'chromium-headless-shell', 'fonts-dejavu-core');
    } catch {
      // The package mirrors cannot be reached: the tests are skipped and say so.
      return null;
    }
    return find();
  });
}
