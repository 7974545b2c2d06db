// The mock server's record of one assignment: what the executor posted, when it last sent something, and how the server answers.

import { randomUUID } from 'node:crypto';
import type { Assignment, AssignmentRequest, ExecutorEvent, PostedEvents } from '@continuo/protocol';

/** What the mock server does instead of answering normally. */
export type Fault =
  | { readonly kind: 'cut' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'hold'; readonly seconds: number }
  | Refusal;

export interface Refusal {
  readonly kind: 'refuse';
  readonly status: number;
  readonly code: string;
}

export const CANCELED: Refusal = { kind: 'refuse', status: 410, code: 'run_canceled' };
export const LOST: Refusal = { kind: 'refuse', status: 409, code: 'claim_lost' };
const ANSWERED: Refusal = { kind: 'refuse', status: 409, code: 'already_answered' };

/** An executor learns of a refusal after its other in-flight requests. */
const NOTICE_MS = 1500;

interface Given {
  readonly request: AssignmentRequest;
  readonly leaseSeconds: number;
  readonly runId: string;
  readonly message: string;
  readonly executor: string;
}

export class Assigned {
  readonly leaseSeconds: number;
  readonly events: ExecutorEvent[] = [];
  /** How the mock server answers the nth post of a batch. */
  onPost: (post: { readonly seq: number; readonly nth: number }) => Fault | null = () => null;
  /** How the mock server answers the nth heartbeat. */
  onBeat: (nth: number) => Fault | null = () => null;
  beats = 0;
  isReleased = false;
  /** Requests that came after the executor had learned of the refusal. */
  requestsAfterRefusal = 0;
  /** The longest time between two signs of life, in seconds. */
  longestSilence = 0;
  readonly #given: Given;
  readonly #claim = randomUUID();
  readonly #times = new Map<number, number>();
  readonly #batches = new Map<number, string>();
  readonly #begun = Promise.withResolvers<void>();
  readonly #finished = Promise.withResolvers<ExecutorEvent>();
  readonly #over = Promise.withResolvers<Refusal>();
  #heard = 0;
  #refusal: Refusal | null = null;
  #refusedAt = 0;
  #isFinished = false;

  constructor(given: Given) {
    this.#given = given;
    this.leaseSeconds = given.leaseSeconds;
  }

  /** Resolves when it is claimed. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  /** Resolves with `finish` or `fail`. */
  get finished(): Promise<ExecutorEvent> {
    return this.#finished.promise;
  }

  get over(): Promise<Refusal> {
    return this.#over.promise;
  }

  claimed(): Assignment & { added_later: true } {
    this.#heard = Date.now();
    this.#begun.resolve();
    const { runId, message, executor, request, leaseSeconds } = this.#given;
    return {
      run_id: runId,
      thread_id: runId,
      workspace_id: runId,
      message,
      executor,
      claim: this.#claim,
      lease_seconds: leaseSeconds,
      request,
      // Servers may add fields.
      added_later: true,
    };
  }

  /** From now on, the executor's requests get this refusal. */
  cancel(): void {
    if (!this.#isFinished) this.#refuse(CANCELED);
  }

  /** The time since the last request, in seconds. */
  silence(): number {
    return this.#isFinished
      ? this.longestSilence
      : Math.max(this.longestSilence, (Date.now() - this.#heard) / 1000);
  }

  post({ claim, seq, events }: PostedEvents): { readonly fault: Fault | null; readonly wrong?: string } {
    const refusal = this.#refusalOf(claim);
    if (refusal) return { fault: refusal };
    this.#hear();
    const nth = (this.#times.get(seq) ?? 0) + 1;
    this.#times.set(seq, nth);
    const fault = this.onPost({ seq, nth });
    if (fault?.kind === 'refuse') return { fault: this.#refuse(fault) };
    if (fault?.kind === 'busy') return { fault };
    const wrong = this.#store(seq, events);
    return wrong === null ? { fault } : { fault: wrong.refusal, wrong: wrong.sentence };
  }

  #store(seq: number, events: readonly ExecutorEvent[]): { refusal: Refusal; sentence: string } | null {
    const text = JSON.stringify(events);
    const before = this.#batches.get(seq);
    if (before !== undefined)
      return before === text
        ? null
        : { refusal: LOST, sentence: `Batch ${seq} was sent again with other events.` };
    if (this.#isFinished) return { refusal: ANSWERED, sentence: 'A batch came after finish or fail.' };
    if (seq !== this.#batches.size + 1)
      return {
        refusal: { kind: 'refuse', status: 409, code: 'sequence_gap' },
        sentence: `Batch ${seq} came, and ${this.#batches.size + 1} was next.`,
      };
    this.#batches.set(seq, text);
    const end = events.findIndex(({ type }) => type === 'finish' || type === 'fail');
    if (end !== -1 && end < events.length - 1)
      return {
        refusal: { kind: 'refuse', status: 400, code: 'invalid_body' },
        sentence: `${events[end]!.type} is not the last event of its batch.`,
      };
    this.events.push(...events);
    if (end === -1) return null;
    this.#isFinished = true;
    this.#finished.resolve(events[end]!);
    return null;
  }

  beat(claim: string, release: boolean): Fault | null {
    const refusal = this.#refusalOf(claim);
    if (refusal) return refusal;
    this.#hear();
    this.beats += 1;
    this.isReleased ||= release;
    const fault = this.onBeat(this.beats);
    return fault?.kind === 'refuse' ? this.#refuse(fault) : fault;
  }

  #refusalOf(claim: string): Refusal | null {
    if (this.#refusal && Date.now() - this.#refusedAt > NOTICE_MS) this.requestsAfterRefusal += 1;
    return this.#refusal ?? (claim === this.#claim ? null : LOST);
  }

  #refuse(refusal: Refusal): Refusal {
    if (!this.#refusal) this.#refusedAt = Date.now();
    this.#refusal ??= refusal;
    this.#over.resolve(this.#refusal);
    return this.#refusal;
  }

  #hear(): void {
    const now = Date.now();
    if (!this.#isFinished) this.longestSilence = Math.max(this.longestSilence, (now - this.#heard) / 1000);
    this.#heard = now;
  }
}
