// The secrets of webhooks and triggers, which sign requests as Standard Webhooks describe it. They are stored sealed, and shown once.

import { randomBytes } from 'node:crypto';
import type { Sealing } from '../workspaces/sealing.ts';

export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** The secret as the row of this webhook or trigger stores it. */
export function sealSecret(sealing: Sealing, id: string, secret: string): string {
  return sealing.seal(secret, `signing ${id}`).toString('base64');
}

/** Null if it was sealed with another key. */
export function openSecret(sealing: Sealing, id: string, sealed: string): string | null {
  return sealing.open(Buffer.from(sealed, 'base64'), `signing ${id}`);
}
