// How long to wait before a call is tried again.

export interface AiSdkRetries {
  /** Calls in all, the first included. */
  readonly tries: number;
  readonly baseMs: number;
  readonly maxMs: number;
  /** A provider that asks for more than this is not waited for. */
  readonly maxRetryAfterMs: number;
}

export const AI_SDK_RETRIES: AiSdkRetries = { tries: 4, baseMs: 500, maxMs: 8000, maxRetryAfterMs: 60_000 };

interface Tried {
  /** How many calls failed so far. */
  readonly failed: number;
  readonly retryAfter: number | undefined;
  readonly random: number;
}

/** Milliseconds to wait, or null: it is not worth another try. */
export function aiSdkBackoff(retries: AiSdkRetries, { failed, retryAfter, random }: Tried): number | null {
  if (failed >= retries.tries) return null;
  // Half of the wait is chance, so that many runs do not come back at once; never sooner than asked.
  const spread = Math.min(retries.maxMs, retries.baseMs * 2 ** (failed - 1)) * (0.5 + random / 2);
  if (retryAfter === undefined) return spread;
  return retryAfter > retries.maxRetryAfterMs ? null : retryAfter + spread * 0.1;
}

/** The rest of an error whose provider asks for more than is waited. */
export function aiSdkTooLong({ maxRetryAfterMs }: AiSdkRetries, retryAfter = 0): string {
  if (retryAfter <= maxRetryAfterMs) return '';
  return `; it asks to wait ${Math.ceil(retryAfter / 1000)} s, and ${maxRetryAfterMs / 1000} s are waited at most`;
}
