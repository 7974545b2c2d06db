// Encrypts the values of secrets with AES-256-GCM. The key is derived from a secret of the home, or of the operator.

import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { keepHomeSecret } from '../identity/home-secret.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface Sealing {
  /** Tells keys apart, and nothing about the key. */
  readonly keyId: string;
  /** `about` must be given again to open it: a sealed value is of no use in another place. */
  seal(value: string, about: string): Buffer;
  /** Null if it was sealed with another key, about something else, or was changed. */
  open(sealed: Buffer, about: string): string | null;
}

/** The secret that the key is derived from, in the home. */
export function keepSecretsKey(home: string): Promise<string> {
  return keepHomeSecret(home, {
    file: 'secrets-key',
    what: 'the key of the workspaces’ secrets',
    advice:
      'Put the right file back. Without it, the stored secrets cannot be read and must be entered again.',
  });
}

export function createSealing(secret: string): Sealing {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'continuo workspace secrets', 32));
  return {
    keyId: createHash('sha256').update(key).digest('hex').slice(0, 16),
    seal(value, about) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(about));
      const ciphertext = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
    },
    open(sealed, about) {
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
      try {
        const options = { authTagLength: TAG_BYTES };
        const decipher = createDecipheriv('aes-256-gcm', key, nonce, options)
          .setAAD(Buffer.from(about))
          .setAuthTag(tag);
        const value = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
        return Buffer.concat([value, decipher.final()]).toString('utf8');
      } catch {
        // Node tells only that the tag does not fit.
        return null;
      }
    },
  };
}
