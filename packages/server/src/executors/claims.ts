// The executors' side of assignments: claims by long poll, events, heartbeats. Any pod serves them, whichever owns the thread.

import { randomUUID } from 'node:crypto';
import type { ExecutorEvent } from '@continuo/protocol';
import type { Bus } from '../bus/bus.ts';
import type { Pool } from '../db/pool.ts';
import {
  claimAssignment,
  extendLease,
  postEvents,
  readStatus,
  recordExecutor,
  returnClaim,
  type AssignmentStatus,
  type Claim,
  type ClaimedRow,
  type AssignmentFilter,
} from './rows.ts';
import { ASSIGNMENT_CHANGED, ASSIGNMENT_OFFERED, keyOf, type AssignmentWatch } from './topics.ts';

interface Wanted extends AssignmentFilter {
  /** Names the program, for people. */
  readonly by: string | null;
  readonly waitSeconds: number;
  /** Aborts when the program is gone. */
  readonly signal: AbortSignal;
}

/** Why a post or a heartbeat is refused. */
export type Refusal =
  | { readonly kind: 'not_found' | 'claim_lost' | 'already_answered' | 'canceled' | 'over' }
  | { readonly kind: 'gap'; readonly expected: number };

interface ClaimsOptions {
  readonly pool: Pool;
  readonly bus: Bus;
  readonly watch: AssignmentWatch;
  readonly leaseSeconds: number;
}

/** An executor that waits for work. */
interface Waiter {
  readonly executor: string;
  /** Claims with equal filters get the same assignments. */
  readonly filters: string;
  /** Looks for work, unless it is looking already; then it looks again. */
  look(): void;
  readonly looking: boolean;
}

export class Claims {
  readonly #options: ClaimsOptions;
  readonly #waiters = new Set<Waiter>();
  readonly #closed = new AbortController();

  constructor(options: ClaimsOptions) {
    this.#options = options;
    options.bus.subscribe(ASSIGNMENT_OFFERED, {
      // One assignment needs one executor, but the message does not say whose filters match it: one waiter for each set of
      // filters looks. Waiters on other pods try too; the database decides.
      message: ({ executor }) => {
        const waiting = [...this.#waiters].filter((waiter) => waiter.executor === executor);
        for (const equal of Map.groupBy(waiting, ({ filters }) => filters).values())
          (equal.find(({ looking }) => !looking) ?? equal[0])?.look();
      },
      rescan: () => this.#waiters.forEach((waiter) => waiter.look()),
    });
  }

  get leaseSeconds(): number {
    return this.#options.leaseSeconds;
  }

  /** Resolves to null if no assignment came in time. */
  async claim(wanted: Wanted): Promise<ClaimedRow | null> {
    const { pool, bus, leaseSeconds } = this.#options;
    const { executor, workspaceId, role, by, waitSeconds } = wanted;
    await recordExecutor(pool, wanted, waitSeconds);
    const attempt = () =>
      claimAssignment(pool, { executor, workspaceId, role, claim: randomUUID(), by, leaseSeconds });
    const claimed = waitSeconds === 0 ? await attempt() : await this.#wait(wanted, attempt);
    if (claimed && wanted.signal.aborted) {
      await returnClaim(pool, claimed);
      void bus.publish(ASSIGNMENT_OFFERED, { executor });
      return null;
    }
    if (claimed) void bus.publish(ASSIGNMENT_CHANGED, { what: 'posted', key: keyOf(claimed) });
    return claimed;
  }

  #wait(
    { executor, workspaceId, role, waitSeconds, signal }: Wanted,
    attempt: () => Promise<ClaimedRow | null>,
  ): Promise<ClaimedRow | null> {
    const { promise, resolve, reject } = Promise.withResolvers<ClaimedRow | null>();
    const gone = AbortSignal.any([signal, this.#closed.signal]);
    let looking = false;
    let again = false;
    let isOver = gone.aborted;
    const tryAll = async (): Promise<void> => {
      while (again) {
        again = false;
        const claimed = await attempt();
        if (claimed) return resolve(claimed);
      }
      looking = false;
      if (isOver) resolve(null);
    };
    const look = (): void => {
      again = true;
      if (looking) return;
      looking = true;
      tryAll().catch(reject);
    };
    // A notice may have been lost, so it looks once more at the end of the time. A program that is gone gets nothing.
    const end = (): void => {
      isOver = true;
      look();
    };
    const leave = (): void => {
      isOver = true;
      if (!looking) resolve(null);
    };
    const timer = setTimeout(end, waitSeconds * 1000);
    gone.addEventListener('abort', leave);
    const waiter: Waiter = {
      executor,
      filters: JSON.stringify([workspaceId, role]),
      look,
      get looking() {
        return looking;
      },
    };
    this.#waiters.add(waiter);
    look();
    return promise.finally(() => {
      clearTimeout(timer);
      gone.removeEventListener('abort', leave);
      this.#waiters.delete(waiter);
    });
  }

  /** Null if the events were stored, now or before. */
  async post(
    held: Omit<Claim, 'leaseSeconds'>,
    seq: number,
    events: readonly ExecutorEvent[],
  ): Promise<Refusal | null> {
    const { pool, bus, leaseSeconds } = this.#options;
    const isLast = events.some(({ type }) => type === 'finish' || type === 'fail');
    const batch = { seq, events: JSON.stringify(events), isLast };
    if (await postEvents(pool, { ...held, leaseSeconds }, batch)) {
      void bus.publish(ASSIGNMENT_CHANGED, { what: 'posted', key: keyOf(held) });
      return null;
    }
    const status = await readStatus(pool, held);
    if (status?.claim === held.claim && seq <= status.lastSeq) return null;
    return refusalOf(status, held.claim, seq);
  }

  /** Extends the lease, and waits for `wait` seconds. A refusal comes at once, also while it waits. */
  async heartbeat(
    held: Omit<Claim, 'leaseSeconds'>,
    { waitSeconds, signal }: { readonly waitSeconds: number; readonly signal: AbortSignal },
  ): Promise<Refusal | null> {
    const { pool, watch, leaseSeconds } = this.#options;
    const changed = new AbortController();
    const off = watch.on({ what: 'ended', key: keyOf(held) }, () => changed.abort());
    try {
      if (await extendLease(pool, { ...held, leaseSeconds })) {
        if (waitSeconds === 0) return null;
        const over = AbortSignal.any([changed.signal, signal, this.#closed.signal]);
        await elapsed(waitSeconds * 1000, over);
        if (!changed.signal.aborted) return null;
      }
      return await this.#refusal(held);
    } finally {
      off();
    }
  }

  /** Ends the lease now. The owner notices, and offers the assignment again. */
  async release(held: Omit<Claim, 'leaseSeconds'>): Promise<Refusal | null> {
    const { pool, bus } = this.#options;
    if (!(await extendLease(pool, { ...held, leaseSeconds: 0 }))) return this.#refusal(held);
    void bus.publish(ASSIGNMENT_CHANGED, { what: 'posted', key: keyOf(held) });
    return null;
  }

  async #refusal(held: Omit<Claim, 'leaseSeconds'>): Promise<Refusal | null> {
    const status = await readStatus(this.#options.pool, held);
    const isHeld = status?.claim === held.claim && status.isCurrent && status.status === 'claimed';
    return isHeld ? null : refusalOf(status, held.claim, 1);
  }

  /** Answers all waiting claims. */
  close(): void {
    this.#closed.abort();
  }
}

function refusalOf(status: AssignmentStatus | null, claim: string, seq: number): Refusal {
  if (!status) return { kind: 'not_found' };
  if (status.isCanceled) return { kind: 'canceled' };
  if (status.claim !== claim) return { kind: 'claim_lost' };
  if (!status.isCurrent || status.status === 'ended') return { kind: 'over' };
  if (status.status === 'answered') return { kind: 'already_answered' };
  return { kind: 'gap', expected: seq > status.lastSeq ? status.lastSeq + 1 : seq };
}

function elapsed(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
