// A patient client: it posts with a key, comes back when it is told to, and never doubts a 202.

import { ApiError, call, type RunBody } from '@continuo/testkit';

export interface Refusal {
  readonly status: number;
  readonly code: unknown;
}

export interface Post {
  readonly run: RunBody;
  /** What it was told before it was accepted; a broken connection is not told. */
  readonly refusals: readonly Refusal[];
}

/** Posts until a pod accepts; the key makes one run of all the tries. */
export async function post(
  bases: () => readonly string[],
  path: string,
  body: unknown,
  key: string,
): Promise<Post> {
  const refusals: Refusal[] = [];
  for (let turn = 0; ; turn += 1) {
    const all = bases();
    const base = all[turn % all.length];
    try {
      if (base === undefined) throw new Error('no pod is up');
      const { run } = await call<{ run: RunBody }>('POST', `${base}${path}`, body, {
        'idempotency-key': key,
      });
      return { run, refusals };
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) throw error;
      if (error instanceof ApiError) refusals.push({ status: error.status, code: error.body.code });
      // A pod that was stopped does not announce its return.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** Asks until there is an answer that is not a server's trouble. */
export async function insist<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
