// How long to wait before a model call is retried.

export interface AiSdkRetries {
  /** The most attempts, including the first. */
  readonly tries: number;
  readonly baseMs: number;
  readonly maxMs: number;
  /** If a provider asks for a longer wait, the call fails instead. */
  readonly maxRetryAfterMs: number;
}

export const AI_SDK_RETRIES: AiSdkRetries = { tries: 4, baseMs: 500, maxMs: 8000, maxRetryAfterMs: 60_000 };

interface Tried {
  /** How many calls failed so far. */
  readonly failed: number;
  readonly retryAfter: number | undefined;
  readonly random: number;
}

/** Milliseconds to wait before the next attempt; null if the call should not be retried. */
export function aiSdkBackoff(retries: AiSdkRetries, { failed, retryAfter, random }: Tried): number | null {
  if (failed >= retries.tries) return null;
  // Half of the wait is random, so that many runs do not retry at once. Never shorter than the provider asks.
  const spread = Math.min(retries.maxMs, retries.baseMs * 2 ** (failed - 1)) * (0.5 + random / 2);
  if (retryAfter === undefined) return spread;
  return retryAfter > retries.maxRetryAfterMs ? null : retryAfter + spread * 0.1;
}

/** The end of the error message if the provider asks for a wait that is too long. */
export function aiSdkTooLong({ maxRetryAfterMs }: AiSdkRetries, retryAfter = 0): string {
  if (retryAfter <= maxRetryAfterMs) return '';
  return `; it asks to wait ${Math.ceil(retryAfter / 1000)} s, longer than the ${maxRetryAfterMs / 1000} s allowed`;
}
