// The person's token. Its holder may decide approvals, configure the server, and extend what agents may do. The command line reads
// the same file of the home.

import { keepHomeSecret, readHomeSecret, type HomeSecret } from './home-secret.ts';

export { isLoopback } from '../hosts/loopback.ts';

const TOKEN: HomeSecret = {
  file: 'person-token',
  what: "a person's token",
  advice: 'Remove the file; the next start creates a new one.',
};

/** The token of a home; null if there is none yet. */
export function readPersonToken(home: string): Promise<string | null> {
  return readHomeSecret(home, TOKEN);
}

/** Reads the home's token, or creates it. */
export function keepPersonToken(home: string): Promise<string> {
  return keepHomeSecret(home, TOKEN);
}

/** A link that gives a browser the token: after the #, so that no proxy, server or log sees it. */
export function personLink(url: string, token: string): string {
  return `${url}/#token=${token}`;
}
