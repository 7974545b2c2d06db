// The owner's side of an assignment: offers it, and reads what executors post until the answer is finished. The lease of a claim is
// checked here alone: if it is over before the first event, the assignment waits for another executor; if the answer had begun,
// the message fails as if the stream had broken, and the run starts it over.

import type { StreamEvent } from '@continuo/engine';
import type { Bus } from '../bus/bus.ts';
import type { Pool } from '../db/pool.ts';
import { EXECUTOR_PREFIX } from '../models/executor-model.ts';
import { newAnswer, streamEvents } from './answer-events.ts';
import { EXECUTOR_LOST, type Assignment, type Executor } from './executor.ts';
import { endAssignment, expireClaim, offerAssignment, readPosted, readState } from './rows.ts';
import { ASSIGNMENT_CHANGED, ASSIGNMENT_OFFERED, keyOf, type AssignmentWatch } from './topics.ts';
import { toWireRequest } from './wire-request.ts';

/** After so many claims without an event, the assignment is presumed to crash its executors. */
const MOST_CLAIMS = 20;
/** The most characters of an answer's events, as JSON. */
const MOST_CHARACTERS = 4 * 1024 * 1024;

interface RemoteOptions {
  readonly pool: Pool;
  readonly bus: Bus;
  readonly watch: AssignmentWatch;
  readonly now: () => number;
  readonly onError: (error: Error) => void;
}

export function createRemote(options: RemoteOptions): Executor {
  return { answer: (assignment) => answer(options, assignment) };
}

async function* answer(options: RemoteOptions, assignment: Assignment): AsyncGenerator<StreamEvent> {
  const { pool, bus, watch, now, onError } = options;
  const { request, runId, attempt, model } = assignment;
  const executor = model.id.slice(EXECUTOR_PREFIX.length);
  const message = request.messageId;
  const own = { runId, message, attempt };
  const key = keyOf(own);
  const interrupted = (): StreamEvent => ({ type: 'stream_interrupted', at: now(), reason: 'aborted' });
  if (request.signal.aborted) return yield interrupted();
  const news = createNews(watch, key, request.signal);
  let reason = 'canceled';
  try {
    if (!(await offer(options, assignment, executor))) return yield interrupted();
    let open = newAnswer(message);
    let seen = 0;
    let characters = 0;
    for (;;) {
      const view = await readPosted(pool, own, seen);
      if (request.signal.aborted || !view) return yield interrupted();
      for (const { seq, events, size } of view.batches) {
        seen = seq;
        characters += size;
        if (characters > MOST_CHARACTERS) {
          reason = 'too_large';
          return yield tooLarge(now());
        }
        for (const event of events) {
          if (event.type === 'finish' && event.state != null) assignment.keep(event.state);
          if (event.type === 'finish' || event.type === 'fail') reason = 'answered';
          const [next, made] = streamEvents(open, event, now());
          open = next;
          yield* made;
        }
      }
      if (view.status === 'ended') return yield interrupted();
      const timedOut = await news.next(view.leaseMs);
      if (request.signal.aborted) return yield interrupted();
      if (!timedOut) continue;
      const expired = await expireClaim(pool, own);
      if (expired === 'ended' || (expired === 'waiting' && view.claims >= MOST_CLAIMS)) {
        reason = 'lease_over';
        return yield lost(executor, { at: now(), hasBegun: expired === 'ended' });
      }
      if (expired === 'waiting') void bus.publish(ASSIGNMENT_OFFERED, { executor });
      if (expired) void bus.publish(ASSIGNMENT_CHANGED, { what: 'ended', key });
    }
  } finally {
    news.end();
    // Nothing waits for this: an executor that posts meanwhile is refused by the run's next assignment, or by its end.
    endAssignment(pool, own, reason)
      .then(() => bus.publish(ASSIGNMENT_CHANGED, { what: 'ended', key }))
      .catch(onError);
  }
}

/** False if this pod no longer owns the thread. */
async function offer(
  { pool, bus }: RemoteOptions,
  assignment: Assignment,
  executor: string,
): Promise<boolean> {
  const { request, workspaceId, threadId, runId, attempt, role } = assignment;
  const last = assignment.lastAnswer();
  const state = last ? await readState(pool, last) : null;
  const wire = JSON.stringify(toWireRequest(request, assignment));
  // The state is stored as JSON already.
  const body = `${wire.slice(0, -1)},"state":${state ?? 'null'}}`;
  const offered = {
    runId,
    message: request.messageId,
    workspaceId,
    threadId,
    executor,
    role,
    attempt,
    request: body,
  };
  const isOwner = await offerAssignment(pool, offered);
  if (isOwner) void bus.publish(ASSIGNMENT_OFFERED, { executor });
  return isOwner;
}

function tooLarge(at: number): StreamEvent {
  return {
    type: 'stream_error',
    at,
    code: 'answer_too_large',
    message: `the executor's answer has more than ${MOST_CHARACTERS} characters as JSON; longer texts belong in files`,
  };
}

function lost(executor: string, { at, hasBegun }: { at: number; hasBegun: boolean }): StreamEvent {
  return {
    type: 'stream_error',
    at,
    code: EXECUTOR_LOST,
    message: hasBegun
      ? `the executor ${executor} began the answer, and then sent nothing within its lease`
      : `${MOST_CLAIMS} executors ${executor} claimed the answer, and none of them sent anything within its lease`,
    ...(hasBegun && { retryable: true }),
  };
}

interface News {
  /** Resolves when the assignment may have changed, or when the signal aborts; to true if `ms` passed first. */
  next(ms: number | null): Promise<boolean>;
  end(): void;
}

/** A change between two calls of `next` is not lost. */
function createNews(watch: AssignmentWatch, key: string, signal: AbortSignal): News {
  let isNew = false;
  let wake = (): void => undefined;
  const arrive = (): void => {
    isNew = true;
    wake();
  };
  const off = watch.on({ what: 'posted', key }, arrive);
  signal.addEventListener('abort', arrive);
  return {
    next: (ms) =>
      new Promise((resolve) => {
        const timer = ms === null ? null : setTimeout(() => settle(true), Math.max(0, ms) + 1);
        const settle = (timedOut: boolean): void => {
          if (timer) clearTimeout(timer);
          wake = () => undefined;
          isNew = false;
          resolve(timedOut);
        };
        wake = () => settle(false);
        if (isNew) settle(false);
      }),
    end: () => {
      off();
      signal.removeEventListener('abort', arrive);
    },
  };
}
