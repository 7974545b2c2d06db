// The principal: on whose behalf a request acts. One middleware (the guard) finds it once per request, and routes reach only
// the workspaces that it may use. All others are answered as if they did not exist. What a request causes (messages, runs,
// decisions, versions of files) stores its principal: its kind and its name, never its secret.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Principal as StoredPrincipal } from '@continuo/protocol';

/** A principal as rows store it with what it caused. */
export type { StoredPrincipal };

export type Principal =
  /** A user on this machine, or anyone with the person's token. */
  | { readonly kind: 'local'; readonly isPerson: boolean }
  | {
      readonly kind: 'key';
      /** The key's name, never its secret. */
      readonly name: string;
      readonly isPerson: boolean;
      /** The only workspace that the key may use; null means every workspace. */
      readonly workspaceId: string | null;
    };

/** A key that the server accepts, and what its owner may do. */
export interface AccessKey {
  readonly name: string;
  readonly secret: string;
  readonly isPerson: boolean;
  readonly workspaceId: string | null;
}

/** A local user who has not shown the person's token. */
export const ANONYMOUS: Principal = { kind: 'local', isPerson: false };
const LOCAL_PERSON: Principal = { kind: 'local', isPerson: true };

export function toStored(principal: Principal): StoredPrincipal {
  return principal.kind === 'key' ? { kind: 'key', name: principal.name } : { kind: 'local' };
}

export function mayUse(principal: Principal, workspaceId: string): boolean {
  const only = onlyWorkspace(principal);
  return only === null || only === workspaceId;
}

/** The one workspace that the principal may use; null if it may use all of them. */
export function onlyWorkspace(principal: Principal): string | null {
  return principal.kind === 'key' ? principal.workspaceId : null;
}

/** Finds the principal that a secret belongs to; null if it belongs to none. */
export function createSecretCheck(
  personToken: string,
  keys: readonly AccessKey[],
): (secret: string) => Principal | null {
  const known = [
    { digest: sha256(personToken), principal: LOCAL_PERSON },
    ...keys.map(({ secret, ...key }) => ({
      digest: sha256(secret),
      principal: { kind: 'key' as const, ...key },
    })),
  ];
  return (secret) => {
    const digest = sha256(secret);
    // Every digest is compared, and all have the same length, so the time reveals nothing about a guess.
    const matches = known.filter((each) => timingSafeEqual(each.digest, digest));
    return matches[0]?.principal ?? null;
  };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
