// Delivers messages to webhooks, from any pod, signed according to Standard Webhooks.
//
// - A message is written in the commit of the event that it tells of (sql/functions/automation), so none is lost.
// - To deliver one, a pod moves its `next_at` past the time limit of a request. If the pod dies, the message comes due again:
//   a receiver may get a message twice, and can recognise it by its `webhook-id`.
// - A failed message waits longer each time. When its attempts are used up it is dead, until a person sends it again.

import { Webhook } from 'standardwebhooks';
import type { Faults } from '../faults.ts';
import type { Bus, Topic } from '../bus/bus.ts';
import type { Pool } from '../db/pool.ts';
import { FILES_CHANGED } from '../files/topics.ts';
import { LOG_APPENDED } from '../log/notice.ts';
import { OutgoingRefused, type Outgoing } from '../outgoing/outgoing.ts';
import type { Sealing } from '../workspaces/sealing.ts';
import { DueWork } from '../actors/due-work.ts';
import { openSecret } from './signing.ts';
import { AUTOMATION_CHANGED, MESSAGES_DELIVERED } from './topics.ts';
import { DEAD_DAYS, DELIVERED_DAYS } from './webhook-rows.ts';

/** The time limit of one request. */
const REQUEST_MS = 15_000;
/** How long a pod's claim on a message lasts. Longer than a request and the statement after it. */
const CLAIM_SECONDS = 30;
/** How many requests a pod makes at a time, and to one webhook. */
const MOST_AT_ONCE = 32;
const MOST_TO_ONE = 4;

export interface DeliveryOptions {
  readonly pool: Pool;
  readonly bus: Bus;
  readonly outgoing: Pick<Outgoing, 'fetch'>;
  readonly sealing: Sealing;
  /** The pauses between attempts. After the last one a message is dead. */
  readonly retrySeconds: readonly number[];
  readonly version: string;
  /** After a message on one of these, messages of its workspace may wait. */
  readonly wakers: readonly Topic<{ readonly workspaceId: string }>[];
  /** Null if there is no such thread. */
  readonly workspaceOf: (threadId: string) => Promise<string | null> | string | null;
  readonly onError: (error: Error) => void;
  readonly faults?: Faults | undefined;
}

interface Claimed {
  readonly id: string;
  readonly workspace_id: string;
  readonly webhook_id: string;
  readonly payload: string;
  readonly attempts: number;
  readonly url: string;
  readonly secret: string;
}

type Outcome =
  | { readonly kind: 'delivered'; readonly status: number }
  /** `final`: another attempt would be pointless. */
  | {
      readonly kind: 'failed';
      readonly status: number | null;
      readonly error: string;
      readonly final: boolean;
    };

export interface Deliveries {
  start(): Promise<void>;
  /** Cuts requests in flight: another pod repeats them at once. */
  stop(): Promise<void>;
}

export function createDeliveries(options: DeliveryOptions): Deliveries {
  const { pool, bus, onError } = options;
  const stopping = new AbortController();
  const inFlight = new Map<Promise<void>, string>();
  /** The workspaces that have webhooks. Runs of all others cost nothing here. */
  let listening: ReadonlySet<string> = new Set();

  const busyWebhooks = (): string[] => {
    const counts = Map.groupBy(inFlight.values(), (webhookId) => webhookId);
    return [...counts].flatMap(([webhookId, all]) => (all.length >= MOST_TO_ONE ? [webhookId] : []));
  };
  const work = new DueWork({
    doDue: async () => {
      while (inFlight.size < MOST_AT_ONCE && !stopping.signal.aborted) {
        const message = await claim(pool, busyWebhooks());
        if (!message) return;
        const delivery = deliver(options, message, stopping.signal)
          .catch(onError)
          .finally(() => {
            inFlight.delete(delivery);
            work.wake();
          });
        inFlight.set(delivery, message.webhook_id);
      }
    },
    // While the pod has no room, the end of a request wakes it.
    untilNext: async () => (inFlight.size < MOST_AT_ONCE ? untilNext(pool, busyWebhooks()) : null),
    onError,
  });

  const readListening = async (): Promise<void> => {
    const { rows } = await pool.query<{ id: string }>('select distinct workspace_id as id from webhooks');
    listening = new Set(rows.map(({ id }) => id));
  };
  const changed = (): void => {
    readListening().catch(onError);
    work.wake();
  };
  const wakeFor = (workspaceId: string | null): void => {
    if (workspaceId !== null && listening.has(workspaceId)) work.wake();
  };
  bus.subscribe(AUTOMATION_CHANGED, { message: changed, rescan: changed });
  for (const topic of options.wakers)
    bus.subscribe(topic, { message: ({ workspaceId }) => wakeFor(workspaceId), rescan: () => work.wake() });
  bus.subscribe(LOG_APPENDED, {
    message: ({ threadIds, rows }) => {
      if (listening.size === 0 || !rows?.some(({ type }) => type === 'state' || type === 'approval')) return;
      const workspace = options.workspaceOf(threadIds[0]!);
      if (workspace instanceof Promise) workspace.then(wakeFor).catch(onError);
      else wakeFor(workspace);
    },
    rescan: () => work.wake(),
  });

  // No log event announces a plan that begins to wait.
  bus.subscribe(FILES_CHANGED, {
    message: ({ workspaceId }) => wakeFor(workspaceId),
    rescan: () => undefined,
  });

  return {
    start: async () => {
      await readListening();
      work.start();
    },
    stop: async () => {
      stopping.abort();
      await work.stop();
      await Promise.all(inFlight.keys());
    },
  };
}

/** Messages of a webhook that is enabled, in a workspace that is not removed. */
const DELIVERABLE = `webhook_deliveries d join webhooks w on w.id = d.webhook_id join workspaces s on s.id = d.workspace_id
  where d.state = 'waiting' and w.enabled and s.removed_at is null`;

async function claim(pool: Pool, busy: readonly string[]): Promise<Claimed | null> {
  const { rows } = await pool.query<Claimed>(
    `update webhook_deliveries d set attempts = d.attempts + 1, attempted_at = clock_timestamp(),
        next_at = clock_timestamp() + make_interval(secs => $2)
      from webhooks w, (
        select d.id from ${DELIVERABLE} and d.next_at <= clock_timestamp() and d.webhook_id <> all ($1::uuid[])
        order by d.next_at limit 1 for no key update of d skip locked) due
      where d.id = due.id and w.id = d.webhook_id
      returning d.id, d.workspace_id, d.webhook_id, d.payload, d.attempts, w.url, w.secret`,
    [busy, CLAIM_SECONDS],
  );
  return rows[0] ?? null;
}

async function untilNext(pool: Pool, busy: readonly string[]): Promise<number | null> {
  const { rows } = await pool.query<{ ms: number | null }>(
    `select extract(epoch from min(d.next_at) - clock_timestamp())::float8 * 1000 as ms
      from ${DELIVERABLE} and d.webhook_id <> all ($1::uuid[])`,
    [busy],
  );
  return rows[0]!.ms;
}

async function deliver(options: DeliveryOptions, message: Claimed, stopping: AbortSignal): Promise<void> {
  const { pool, bus, retrySeconds, faults } = options;
  await faults?.('webhook.claimed');
  const outcome = await send(options, message, stopping);
  await faults?.('webhook.sent');
  if (stopping.aborted && outcome.kind === 'failed') return giveBack(pool, message);
  await record(pool, message, outcome, retrySeconds);
  void bus.publish(MESSAGES_DELIVERED, { workspaceId: message.workspace_id });
}

async function send(
  { outgoing, sealing, version }: DeliveryOptions,
  { id, webhook_id, payload, url, secret: sealed }: Claimed,
  stopping: AbortSignal,
): Promise<Outcome> {
  const secret = openSecret(sealing, webhook_id, sealed);
  if (secret === null) return { kind: 'failed', status: null, error: UNREADABLE, final: true };
  const at = new Date();
  const messageId = `msg_${id}`;
  try {
    const response = await outgoing.fetch(url, {
      method: 'POST',
      body: payload,
      // A redirect could send the message to an address that nobody configured.
      redirect: 'manual',
      signal: AbortSignal.any([stopping, AbortSignal.timeout(REQUEST_MS)]),
      headers: {
        'content-type': 'application/json',
        'user-agent': `continuo/${version}`,
        'webhook-id': messageId,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': new Webhook(secret).sign(messageId, at, payload),
      },
    });
    await response.body?.cancel();
    return outcomeOf(response.status);
  } catch (error) {
    return { kind: 'failed', status: null, error: reasonOf(error), final: error instanceof OutgoingRefused };
  }
}

const UNREADABLE = 'the webhook’s secret was sealed with another key; replace the secret';

function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return { kind: 'delivered', status };
  if (status === 410)
    return { kind: 'failed', status, error: 'the receiver is gone for good (410)', final: true };
  const redirects = status >= 300 && status < 400;
  const error = redirects
    ? `the receiver redirects (${status}), and redirects are not followed; change the webhook’s url`
    : `the receiver answered ${status}`;
  return { kind: 'failed', status, error, final: false };
}

function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: Error & { code?: string } };
  if (name === 'TimeoutError') return `no answer within ${REQUEST_MS / 1000} seconds`;
  const text = cause instanceof Error ? cause.message || cause.code || message : message;
  return text.slice(0, 500);
}

/** Guarded by the attempt: if another pod has claimed the message meanwhile, its own outcome counts. */
async function record(
  pool: Pool,
  { id, webhook_id, attempts }: Claimed,
  outcome: Outcome,
  retrySeconds: readonly number[],
): Promise<void> {
  const pause = outcome.kind === 'failed' && !outcome.final ? retrySeconds[attempts - 1] : undefined;
  const state = outcome.kind === 'delivered' ? 'delivered' : pause === undefined ? 'dead' : 'waiting';
  await pool.query(
    `update webhook_deliveries set state = $3, status = $4, error = $5,
        next_at = clock_timestamp() + make_interval(secs => $6)
      where id = $1 and attempts = $2 and state = 'waiting'`,
    [id, attempts, state, outcome.status, outcome.kind === 'failed' ? outcome.error : null, pause ?? 0],
  );
  await pool.query(
    `delete from webhook_deliveries where webhook_id = $1 and (
        (state = 'delivered' and created_at < clock_timestamp() - make_interval(days => $2))
        or (state = 'dead' and created_at < clock_timestamp() - make_interval(days => $3)))`,
    [webhook_id, DELIVERED_DAYS, DEAD_DAYS],
  );
}

/** The pod stops before the receiver has answered: the attempt does not count. */
async function giveBack(pool: Pool, { id, attempts }: Claimed): Promise<void> {
  await pool.query(
    `update webhook_deliveries set attempts = attempts - 1, next_at = clock_timestamp()
      where id = $1 and attempts = $2 and state = 'waiting'`,
    [id, attempts],
  );
}
