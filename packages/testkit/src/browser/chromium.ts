// The browser of the tests: the machine's Chromium, installed on demand if possible. The headless shell comes first: it
// renders the same with a third of the CPU time.

import { existsSync } from 'node:fs';
import { findOrInstall } from '../apt.ts';

const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Null if there is none and it cannot be installed. */
export const chromiumPath: string | null = await findOrInstall(
  () => PLACES.find((place) => existsSync(place)) ?? null,
  ['chromium-headless-shell', 'fonts-dejavu-core'],
);

/** For the titles of skipped tests. */
export const WITHOUT =
  chromiumPath === null ? ' (skipped: there is no Chromium; install it to run this)' : '';
