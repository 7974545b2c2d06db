// A pod: one of the server processes that share a database. It registers, renews its lease, watches the other pods, claims
// threads that are due, and works on them until it releases them.
//
// - A pod is alive while it holds its session advisory lock and renews its heartbeat. A pod that loses either one gives up
//   all its threads and registers again under a new id. If the database answers no connection at all, the pod waits.
// - At most one live pod holds a thread. The log fences appends of a former owner.
// - `wake_at` is the only timer. Messages from other pods only make things faster; the periodic tick finds what was missed.
// - The bus listens on the connection that holds the lock.

import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { defineTopic, noFields, oneField } from '../bus/bus.ts';
import type { PostgresBus } from '../bus/postgres.ts';
import {
  connect,
  destroy,
  isUnavailable,
  type Connection,
  type DatabaseSettings,
  type Pool,
} from '../db/pool.ts';
import { LiveHold, type Work } from './hold.ts';

const LOCK_CLASS = 4400;
/** Maximum number of threads that a pod holds at a time. */
const CAPACITY = 500;
/** The pause of a thread after work on it failed, so that a full disk, for example, does not use up its attempts. */
const FAILED_PAUSE_MS = 5000;
const UNAVAILABLE_PAUSE_MS = 200;

/** A pod registered or left. */
const PODS_CHANGED = defineTopic('pods.changed', noFields);
/** A thread has new facts: its owner reads them, or a pod claims the thread. */
const THREAD_WOKEN = defineTopic('threads.woken', oneField('threadId'));

export interface PodOptions {
  readonly database: DatabaseSettings;
  readonly pool: Pool;
  readonly leaseSeconds: number;
  /** Whether this pod claims threads. One that does not still registers, and hears what the others do. */
  readonly claims: boolean;
  readonly work: Work;
  readonly bus: PostgresBus;
  /** This pod lost its registration. Its other connections may be dead without having noticed. */
  readonly onExpelled: () => void;
  /** Called when connecting fails. Restarts an embedded database. */
  readonly reviveDatabase: () => Promise<void>;
  readonly log: { warn(fields: object, text: string): void; error(fields: object, text: string): void };
}

interface Membership {
  readonly id: string;
  readonly number: number;
  readonly connection: Connection;
  renewedAt: number;
  others: number;
  beating: boolean;
  beatAgain: boolean;
}

/** A pod's heartbeat and its check of the other pods. `next_lapse_ms`: how soon the first lease of another pod ends. */
const TICK = `select t.*, (
    select min(extract(epoch from p.heartbeat_at + p.lease - clock_timestamp())::float8 * 1000) from pods p where p.id <> $1
  ) as next_lapse_ms from pod_tick($1, $2) t`;
/** The check runs slightly after the end of a lease, so that the lease has certainly ended. */
const LAPSED_MS = 5;

export class Pod {
  readonly #options: PodOptions;
  readonly #holds = new Map<string, LiveHold>();
  readonly #hurry = new AbortController();
  #member: Membership | null = null;
  #state: 'running' | 'draining' | 'stopped' = 'running';
  #tickTimer: NodeJS.Timeout | null = null;
  #wakeTimer: NodeJS.Timeout | null = null;
  #claiming = false;
  #claimAgain = false;
  #strays: ReadonlyMap<string, number> = new Map();
  #registering = false;
  #onLastRelease: (() => void) | null = null;
  #leaving = false;

  constructor(options: PodOptions) {
    this.#options = options;
    // The tick that follows every registration finds missed messages.
    const rescan = () => undefined;
    options.bus.subscribe(PODS_CHANGED, { message: () => this.#podsChanged(), rescan });
    options.bus.subscribe(THREAD_WOKEN, { message: ({ threadId }) => this.#woken(threadId), rescan });
  }

  /** The pod id for claims; null while this pod cannot claim threads. */
  get claimant(): string | null {
    const hasRoom = this.#state === 'running' && this.#holds.size < CAPACITY;
    return this.#options.claims && hasRoom ? (this.#member?.id ?? null) : null;
  }

  get id(): string | null {
    return this.#member?.id ?? null;
  }

  get state(): 'registered' | 'not registered' | 'stopping' {
    if (this.#leaving || this.#state !== 'running') return 'stopping';
    return this.#member ? 'registered' : 'not registered';
  }

  get alone(): boolean {
    return this.#member !== null && this.#member.others === 0;
  }

  get holding(): number {
    return this.#holds.size;
  }

  async start(): Promise<void> {
    await this.#register();
  }

  /** The pod is no longer ready, and works on until `stop`: load balancers are to choose other pods first. */
  leave(): void {
    this.#leaving = true;
  }

  /** Drains: releases every thread before its next step. After `graceMs`, interrupts the steps that are still in flight. */
  async stop(graceMs: number): Promise<void> {
    this.#state = 'draining';
    for (const hold of this.#holds.values()) hold.drain();
    if (this.#holds.size > 0) {
      const hurry = setTimeout(() => this.#hurry.abort(), graceMs);
      await new Promise<void>((resolve) => (this.#onLastRelease = resolve));
      clearTimeout(hurry);
    }
    this.#state = 'stopped';
    this.#stopTimers();
    const member = this.#member;
    this.#member = null;
    if (!member) return;
    // Announces that the pod has left, so that the other pods need not wait for their next tick.
    await member.connection
      .query('delete from pods where id = $1', [member.id])
      .then(() => this.#options.bus.publishIn(member.connection, PODS_CHANGED, null))
      .catch(() => undefined);
    await member.connection.end().catch(() => undefined);
  }

  /** Starts work on a thread that was claimed for this pod in another transaction. */
  adopt(podId: string, threadId: string, attempt: number, claim: unknown = null): void {
    if (podId !== this.#member?.id || this.#holds.get(threadId)?.attempt === attempt) return;
    this.#begin(threadId, attempt, claim);
  }

  /** Tells the owner of a thread, on any pod, that there are new facts. */
  async wake(threadId: string, owner: string | null, news?: unknown): Promise<void> {
    const wakeHere = this.#holds.get(threadId)?.onWake;
    if (wakeHere) return wakeHere(news);
    if (owner === null) void this.#claim();
    await this.#options.bus.tellOthers(THREAD_WOKEN, { threadId });
  }

  // Membership

  async #register(): Promise<void> {
    const connection = await connect(this.#options.database);
    // If this connection stops answering, it must not delay the next attempt.
    const silent = this.#registering
      ? setTimeout(() => destroy(connection), this.#connectTimeoutMs)
      : undefined;
    try {
      await this.#join(connection);
    } catch (error) {
      if (this.#member?.connection === connection) this.#expelled(this.#member, (error as Error).message);
      else void connection.end().catch(() => undefined);
      throw error;
    } finally {
      clearTimeout(silent);
    }
    this.#options.bus.rescan();
  }

  async #join(connection: Connection): Promise<void> {
    const { leaseSeconds } = this.#options;
    const { rows } = await connection.query<{ number: number }>(
      "select nextval('pod_numbers')::int as number",
    );
    const { number } = rows[0]!;
    const id = uuidv7();
    // The lock comes first: a pod with a row but without its lock counts as dead.
    await connection.query('select pg_advisory_lock($1, $2)', [LOCK_CLASS, number]);
    const renewedAt = performance.now();
    await connection.query(
      'insert into pods (id, number, name, lease) values ($1, $2, $3, make_interval(secs => $4))',
      [id, number, podName(), leaseSeconds],
    );
    await this.#options.bus.listenOn(connection);
    await this.#options.bus.publishIn(connection, PODS_CHANGED, null);
    const member: Membership = {
      id,
      number,
      connection,
      renewedAt,
      others: 1,
      beating: true,
      beatAgain: false,
    };
    this.#member = member;
    connection.once('end', () => this.#expelled(member, 'the connection that holds the pod’s lock was lost'));
    await this.#tick(member);
    member.beating = false;
  }

  #expelled(member: Membership, reason: string): void {
    if (this.#member !== member) return;
    this.#member = null;
    this.#stopTimers();
    if (this.#state === 'stopped') return;
    this.#options.log.warn(
      { pod: member.id, reason, threads: this.#holds.size },
      'this pod is no longer registered; registering again',
    );
    for (const hold of this.#holds.values()) hold.lose();
    // The connection may never answer again. Closing it releases the lock.
    destroy(member.connection);
    this.#options.onExpelled();
    void this.#registerAnew();
  }

  async #registerAnew(): Promise<void> {
    if (this.#registering) return;
    this.#registering = true;
    for (let wait = 50; this.#state === 'running' && this.#member === null; wait = Math.min(wait * 2, 1000)) {
      try {
        await this.#register();
      } catch (error) {
        this.#options.log.warn(
          { reason: (error as Error).message },
          'the database cannot be reached; retrying',
        );
        await this.#options
          .reviveDatabase()
          .catch((failure: Error) =>
            this.#options.log.warn({ reason: failure.message }, 'the database could not be started'),
          );
        // No event announces that a database is back.
        await sleep(wait);
      }
    }
    this.#registering = false;
  }

  async #tick(member: Membership): Promise<void> {
    const asked = performance.now();
    const { rows } = await member.connection.query<{
      alive: boolean;
      others: number;
      removed: number;
      freed: number;
      due: boolean;
      next_wake_ms: number | null;
      owned: number;
      woken: string[] | null;
      next_lapse_ms: number | null;
    }>({ name: 'pod_tick', text: TICK, values: [member.id, LOCK_CLASS] });
    if (this.#member !== member) return;
    const seen = rows[0]!;
    if (!seen.alive) return this.#expelled(member, 'the other pods removed this pod as dead');
    member.renewedAt = asked;
    member.others = seen.others;
    for (const threadId of seen.woken ?? []) this.#holds.get(threadId)?.onWake?.();
    if (seen.due) void this.#claim();
    this.#schedule(member, seen.next_wake_ms, seen.next_lapse_ms);
    if (seen.owned !== this.#holds.size || this.#strays.size > 0) await this.#adoptStrays(member);
  }

  #schedule(member: Membership, nextWakeMs: number | null, nextLapseMs: number | null): void {
    this.#stopTimers();
    const everyMs = this.#tickMs;
    // Check again when the next lease ends, so that a frozen pod is removed at once and not up to a whole tick later.
    const lapses = nextLapseMs !== null && nextLapseMs > 0 && nextLapseMs < everyMs;
    this.#tickTimer = setTimeout(() => this.#beat(member), lapses ? nextLapseMs + LAPSED_MS : everyMs);
    if (nextWakeMs !== null && nextWakeMs > 0 && nextWakeMs < everyMs) {
      this.#wakeTimer = setTimeout(() => void this.#claim(), nextWakeMs);
    }
  }

  /** Runs a tick. At most one is in flight; a request meanwhile leads to one more tick. */
  #beat(member: Membership): void {
    member.beatAgain = member.beating;
    if (member.beating) return;
    member.beating = true;
    let ticking = true;
    const late = setTimeout(
      () => void this.#probeDatabase(member, () => ticking),
      this.#options.leaseSeconds * 1000,
    );
    void this.#tick(member)
      .catch((error: Error) => this.#expelled(member, error.message))
      .finally(() => {
        clearTimeout(late);
        ticking = false;
        member.beating = false;
        if (member.beatAgain && this.#member === member) this.#beat(member);
      });
  }

  /**
   * The heartbeat is overdue. The pod gives up its registration only if a new connection works: a database that answers nobody may
   * still recover, and then the registration is still valid.
   */
  async #probeDatabase(member: Membership, waits: () => boolean): Promise<void> {
    this.#options.log.warn(
      { pod: member.id },
      'the database did not answer within the lease; trying another connection',
    );
    while (waits() && this.#member === member) {
      const answers = await this.#canCommit();
      // A database that recovers answers in any order: the heartbeat gets one more chance.
      await sleep(this.#tickMs);
      if (answers && waits())
        this.#expelled(member, 'the connection that holds the pod’s lock does not answer');
    }
  }

  /** Whether a transaction commits on a new connection. */
  async #canCommit(): Promise<boolean> {
    let connection: Connection | null = null;
    try {
      connection = await connect(this.#options.database, { query_timeout: this.#connectTimeoutMs });
      await this.#options.bus.publishIn(connection, PODS_CHANGED, null);
      return true;
    } catch {
      return false;
    } finally {
      if (connection) destroy(connection);
    }
  }

  /** Timeout for a new connection. */
  get #connectTimeoutMs(): number {
    return this.#options.leaseSeconds * 2000;
  }

  get #tickMs(): number {
    return Math.min(1000, this.#options.leaseSeconds * 200);
  }

  #stopTimers(): void {
    if (this.#tickTimer) clearTimeout(this.#tickTimer);
    if (this.#wakeTimer) clearTimeout(this.#wakeTimer);
  }

  #podsChanged(): void {
    if (this.#member) this.#beat(this.#member);
  }

  #woken(threadId: string): void {
    const hold = this.#holds.get(threadId);
    if (hold) hold.onWake?.();
    else void this.#claim();
  }

  // Threads

  async #claim(): Promise<void> {
    this.#claimAgain = true;
    if (this.#claiming) return;
    this.#claiming = true;
    try {
      while (this.#claimAgain) {
        this.#claimAgain = false;
        const claimant = this.claimant;
        if (claimant === null) return;
        const room = Math.min(CAPACITY - this.#holds.size, 50);
        const { rows } = await this.#options.pool.query<{ id: string; attempt: number }>({
          name: 'claim',
          text: `update threads t set owner = $1, attempt = t.attempt + 1, wake_at = null
            from (
              select id from threads where owner is null and wake_at <= clock_timestamp()
              order by wake_at limit $2 for no key update skip locked
            ) due
            where t.id = due.id returning t.id, t.attempt`,
          values: [claimant, room],
        });
        for (const row of rows) this.adopt(claimant, row.id, row.attempt);
        if (rows.length === room) this.#claimAgain = true;
      }
    } catch (error) {
      // If the claim committed and its answer was lost, the next tick finds those threads (`#adoptStrays`).
      this.#options.log.warn(
        { reason: (error as Error).message },
        'claiming threads failed; retrying at the next tick',
      );
    } finally {
      this.#claiming = false;
    }
  }

  /** Finds threads that this pod owns in the database but does not work on, because the answer to their claim was lost. */
  async #adoptStrays(member: Membership): Promise<void> {
    const { rows } = await member.connection.query<{ id: string; attempt: number }>({
      name: 'owned_threads',
      text: 'select id, attempt from threads where owner = $1',
      values: [member.id],
    });
    const astray = rows.filter(({ id, attempt }) => this.#holds.get(id)?.attempt !== attempt);
    // The answer to a claim may still be in flight, so a thread is adopted only if the last tick found it, too.
    for (const { id, attempt } of astray)
      if (this.#strays.get(id) === attempt) this.adopt(member.id, id, attempt);
    this.#strays = new Map(astray.map(({ id, attempt }) => [id, attempt]));
  }

  #begin(threadId: string, attempt: number, claim: unknown): void {
    const member = this.#member!;
    const lease = this.#options.leaseSeconds * 1000;
    const hold = new LiveHold(
      threadId,
      attempt,
      claim,
      this.#hurry.signal,
      () => performance.now() - member.renewedAt < lease,
    );
    this.#holds.set(threadId, hold);
    if (this.#state !== 'running') hold.drain();
    void this.#hold(member, hold);
  }

  async #hold(member: Membership, hold: LiveHold): Promise<void> {
    let wakeAt: Date | null = null;
    let released = false;
    try {
      const done = await this.#options.work(hold);
      if (done === 'released') released = true;
      else wakeAt = done.wakeAt;
    } catch (error) {
      const failure = hold.lost.aborted ? hold.refusal : error;
      if (failure) {
        this.#options.log.error({ thread: hold.threadId, err: failure }, 'running a thread failed; retrying');
      }
      // After a failure the thread pauses. Without one, another owner took it, and there is no reason to delay it.
      wakeAt = new Date(Date.now() + pauseAfter(failure));
    }
    hold.onWake = null;
    const due = released ? false : await this.#release(member, hold, wakeAt);
    if (this.#holds.get(hold.threadId) === hold) this.#holds.delete(hold.threadId);
    if (this.#holds.size === 0) this.#onLastRelease?.();
    if (due) void this.#claim();
  }

  /** Releases the thread. A fact that arrived meanwhile has set `wake_at`, so the thread is claimed again. */
  async #release(member: Membership, hold: LiveHold, wakeAt: Date | null): Promise<boolean> {
    for (let wait = 50; ; wait = Math.min(wait * 2, 1000)) {
      try {
        const { rows } = await this.#options.pool.query<{ due: boolean | null }>({
          name: 'release',
          text: `update threads set owner = null, wake_at = least(wake_at, $4)
            where id = $1 and owner = $2 and attempt = $3 returning wake_at <= clock_timestamp() as due`,
          values: [hold.threadId, member.id, hold.attempt, wakeAt],
        });
        const due = rows[0]?.due === true;
        if (due && this.#state !== 'running') await this.wake(hold.threadId, member.id);
        return due;
      } catch (error) {
        // A pod that lost its registration has nothing to release: removing its row frees its threads.
        if (this.#member !== member) return false;
        this.#options.log.warn(
          { thread: hold.threadId, reason: (error as Error).message },
          'releasing a thread failed; retrying',
        );
        await sleep(wait);
      }
    }
  }
}

/** The name under which people know this pod. */
export function podName(): string {
  return `${hostname()}:${process.pid}`;
}

function pauseAfter(failure: unknown): number {
  if (!failure) return 0;
  return isUnavailable(failure) ? UNAVAILABLE_PAUSE_MS : FAILED_PAUSE_MS;
}
