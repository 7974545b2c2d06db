// The rows of webhooks and of the messages to them.

import { v7 as uuidv7 } from 'uuid';
import type { NewWebhook, Webhook, WebhookMessage } from '@continuo/protocol';
import type { Queryable } from '../db/pool.ts';
import type { StoredPrincipal } from '../identity/principal.ts';
import type { Sealing } from '../workspaces/sealing.ts';
import { newSecret, sealSecret } from './signing.ts';

/** The most webhooks of a workspace. */
export const MOST_WEBHOOKS = 20;
/** How long messages are kept after their last attempt, in days. */
export const DELIVERED_DAYS = 7;
export const DEAD_DAYS = 30;

interface WebhookRow {
  readonly id: string;
  readonly url: string;
  readonly events: Webhook['events'];
  readonly plan_id: string | null;
  readonly enabled: boolean;
  readonly waiting: number;
  readonly dead: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export async function readWebhooks(
  client: Queryable,
  workspaceId: string,
  id: string | null = null,
): Promise<Webhook[]> {
  const { rows } = await client.query<WebhookRow>(
    `select w.id, w.url, w.events, w.plan_id, w.enabled, w.created_at, w.updated_at,
        (select count(*)::int from webhook_deliveries d where d.webhook_id = w.id and d.state = 'waiting') as waiting,
        (select count(*)::int from webhook_deliveries d where d.webhook_id = w.id and d.state = 'dead') as dead
      from webhooks w where w.workspace_id = $1 and ($2::uuid is null or w.id = $2) order by w.created_at, w.id`,
    [workspaceId, id],
  );
  return rows.map(({ created_at, updated_at, ...row }) => ({
    ...row,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  }));
}

/** Null if the workspace has the most webhooks it may have. The secret is not shown again. */
export async function addWebhook(
  client: Queryable,
  workspaceId: string,
  { url, events, plan_id, enabled }: NewWebhook,
  by: { readonly principal: StoredPrincipal; readonly sealing: Sealing },
): Promise<{ readonly id: string; readonly secret: string } | null> {
  const [id, secret] = [uuidv7(), newSecret()];
  const { rowCount } = await client.query(
    `insert into webhooks (id, workspace_id, url, events, secret, enabled, principal, plan_id)
      select $1, $2, $3, $4, $5, $6, $7, $9 where (select count(*) from webhooks where workspace_id = $2) < $8`,
    [
      id,
      workspaceId,
      url,
      events,
      sealSecret(by.sealing, id, secret),
      enabled,
      JSON.stringify(by.principal),
      MOST_WEBHOOKS,
      plan_id,
    ],
  );
  return rowCount === 1 ? { id, secret } : null;
}

export async function changeWebhook(
  client: Queryable,
  workspaceId: string,
  id: string,
  { url, events, plan_id, enabled }: NewWebhook,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `update webhooks set url = $3, events = $4, enabled = $5, plan_id = $6, updated_at = clock_timestamp()
      where workspace_id = $1 and id = $2`,
    [workspaceId, id, url, events, enabled, plan_id],
  );
  return rowCount === 1;
}

/** Replaces the secret; null if there is no such webhook. */
export async function replaceSecret(
  client: Queryable,
  workspaceId: string,
  id: string,
  sealing: Sealing,
): Promise<string | null> {
  const secret = newSecret();
  const { rowCount } = await client.query(
    'update webhooks set secret = $3, updated_at = clock_timestamp() where workspace_id = $1 and id = $2',
    [workspaceId, id, sealSecret(sealing, id, secret)],
  );
  return rowCount === 1 ? secret : null;
}

export async function deleteWebhook(client: Queryable, workspaceId: string, id: string): Promise<boolean> {
  const { rowCount } = await client.query('delete from webhooks where workspace_id = $1 and id = $2', [
    workspaceId,
    id,
  ]);
  return rowCount === 1;
}

interface MessageRow {
  readonly id: string;
  readonly event: WebhookMessage['event'];
  readonly payload: string;
  readonly state: WebhookMessage['state'];
  readonly attempts: number;
  readonly next_at: Date;
  readonly status: number | null;
  readonly error: string | null;
  readonly created_at: Date;
  readonly attempted_at: Date | null;
  readonly cursor: string;
}

const CURSOR = `to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '_' || id`;

/** Newest first. */
export async function readMessages(
  client: Queryable,
  webhookId: string,
  query: {
    readonly state: WebhookMessage['state'] | null;
    readonly after: { readonly at: string; readonly id: string } | null;
    readonly limit: number;
  },
): Promise<{ items: WebhookMessage[]; next: string | null }> {
  const { rows } = await client.query<MessageRow>(
    `select *, ${CURSOR} as cursor from webhook_deliveries
      where webhook_id = $1 and ($2::text is null or state = $2)
        and ($3::timestamptz is null or (created_at, id) < ($3, $4::uuid))
      order by created_at desc, id desc limit $5 + 1`,
    [webhookId, query.state, query.after?.at ?? null, query.after?.id ?? null, query.limit],
  );
  const items = rows.slice(0, query.limit);
  return { items: items.map(toWire), next: rows.length > query.limit ? items.at(-1)!.cursor : null };
}

/** Sends a message again, with all its attempts; false if there is none. A message that waits is sent at once. */
export async function sendAgain(client: Queryable, webhookId: string, id: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `update webhook_deliveries set state = 'waiting', attempts = 0, next_at = clock_timestamp()
      where webhook_id = $1 and id = $2`,
    [webhookId, id],
  );
  return rowCount === 1;
}

function toWire(row: MessageRow): WebhookMessage {
  const { id, event, payload, state, attempts, next_at, status, error, created_at, attempted_at } = row;
  return {
    id,
    event,
    payload: JSON.parse(payload) as WebhookMessage['payload'],
    state,
    attempts,
    next_at: state === 'waiting' ? next_at.toISOString() : null,
    status,
    error,
    created_at: created_at.toISOString(),
    attempted_at: attempted_at?.toISOString() ?? null,
  };
}
