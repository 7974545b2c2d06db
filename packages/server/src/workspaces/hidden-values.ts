// Removes the values of secrets from what people and models are shown.

import { isTooDeep } from '../limits/json-depth.ts';

/** Shorter values would match ordinary words. */
const SHORTEST_SECRET = 4;
const HIDDEN = '[hidden]';

export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text);
}

/** The same for every text in a value, names of properties included. A value that is too deep to be shown is not changed. */
export function withoutSecretsIn(value: unknown, secrets: readonly string[]): unknown {
  return secrets.length === 0 || isTooDeep(value) ? value : clean(value, secrets);
}

function clean(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return withoutSecrets(value, secrets);
  if (Array.isArray(value)) return value.map((each) => clean(each, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [withoutSecrets(name, secrets), clean(each, secrets)]),
  );
}
