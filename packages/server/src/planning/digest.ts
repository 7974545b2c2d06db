// The digest of a chat, computed from the log and the rows: no model is asked. Child runs count with the chat that they work for.

import type { ChatDigest, EventData, RunError, RunStatus } from '@continuo/protocol';
import type { Queryable } from '../db/pool.ts';
import { digestText } from './digest-text.ts';

/** Maximum numbers of runs and of other things that a digest lists one by one. */
const LISTED_RUNS = 50;
const LISTED = 200;
/** Maximum characters of a run's last message. */
const TEXT_CHARACTERS = 500;

interface DigestQuery {
  readonly chatId: string;
  readonly state: ChatDigest['state'];
  /** Only what came after this event, or after this time. Without either, everything. */
  readonly after?: number | undefined;
  readonly since?: string | undefined;
}

export async function readDigest(client: Queryable, query: DigestQuery): Promise<ChatDigest> {
  const { chatId, state } = query;
  const start = await readStart(client, query);
  const values = [chatId, start.after, start.since];
  const { rows: found } = await client.query<FoundRow>({ name: 'read_digest', text: FOUND, values });
  const { rows: runs } = await client.query<RunRow>({ name: 'read_digest_runs', text: RUNS, values });
  const { rows: counts } = await client.query<{ status: RunStatus; n: number }>({
    name: 'count_digest_runs',
    text: `${FAMILY} select r.status, count(*)::int as n ${RECENT_RUNS} group by r.status`,
    values,
  });
  const needs = await readNeeds(client, query);
  const row = found[0]!;
  const parts = {
    runs: runs.map(toRun),
    run_counts: Object.fromEntries(counts.map(({ status, n }) => [status, n])),
    steps: (row.steps ?? []).map(toStep),
    verdict: row.verdict && { ...row.verdict, at: new Date(row.verdict.at).toISOString() },
    files: row.files ?? [],
    entities: row.entities ?? [],
    changed_counts: { files: row.file_count, entities: row.entity_count },
    calls: { total: row.calls, failed: row.failed_calls },
    usage: { model_calls: row.model_calls, input: row.input, output: row.output, cost: row.cost },
    needs,
  };
  return {
    chat_id: chatId,
    after: start.after,
    since: start.since?.toISOString() ?? null,
    seq: start.seq,
    at: new Date().toISOString(),
    is_empty: runs.length === 0 && needs.length === 0 && row.model_calls === 0 && parts.steps.length === 0,
    state,
    text: digestText(state, parts),
    ...parts,
  };
}

/** The event after which the digest begins, its time, and the end of the log. */
async function readStart(
  client: Queryable,
  { chatId, after, since }: DigestQuery,
): Promise<{ readonly after: number; readonly since: Date | null; readonly seq: number }> {
  const { rows } = await client.query<{ after: number | null; since: Date | null; seq: number | null }>({
    name: 'read_digest_start',
    text: `select b.seq as after, coalesce($3::timestamptz, b.at) as since, l.seq
      from (select max(seq) as seq from events where thread_id = $1) l
      left join lateral (
        select e.seq, e.at from events e where e.thread_id = $1
          and case when $2::integer is not null then e.seq <= $2 when $3::timestamptz is not null then e.at <= $3 else false end
        order by e.seq desc limit 1) b on true`,
    values: [chatId, after ?? null, since ?? null],
  });
  const { after: first, since: at, seq } = rows[0]!;
  return { after: first ?? 0, since: at, seq: seq ?? 0 };
}

/** The chat with the part of its log that counts, and the chats of its child runs with theirs. */
const FAMILY = `with family as materialized (
    select $1::uuid as thread_id, $2::integer as after, coalesce($3::timestamptz, '-infinity') as since
    union all select thread, 0, coalesce($3::timestamptz, '-infinity') from descendant_threads($1))`;

const FOUND = `${FAMILY}, found as materialized (
    select e.thread_id, e.seq, e.run_id, e.at, e.type, readable(e.data) as data
    from family f join events e on e.thread_id = f.thread_id and e.seq > f.after and (e.thread_id = $1 or e.at > f.since)
    where e.type in ('file_updated', 'entity_patch', 'plan_step', 'verdict', 'usage', 'titled', 'summary', 'summary_failed', 'agent_state_delta')),
  files as (
    select data ->> 'file' as file, (array_agg(data ->> 'path' order by (data ->> 'v')::integer desc))[1] as path,
      max((data ->> 'v')::integer) as v, count(*)::int as versions,
      case when (array_agg(data ->> 'removed' order by (data ->> 'v')::integer desc))[1] is not null then 'removed'
        when min((data ->> 'v')::integer) = 1 then 'created'
        when count(*) = count(data ->> 'from') then 'moved' else 'changed' end as change
    from found where type = 'file_updated' group by 1),
  entities as (
    select distinct on (data ->> 'entity_id') data ->> 'entity_type' as entity_type, data ->> 'entity_id' as entity_id,
      data ->> 'entity_name' as entity_name
    from found where type = 'entity_patch' order by data ->> 'entity_id', at desc, seq desc),
  steps as (
    select distinct on (data ->> 'plan', data ->> 'step_id') data, at
    from found where type = 'plan_step' order by data ->> 'plan', data ->> 'step_id', at desc, seq desc),
  spent as (
    select data -> 'usage' as usage, (data ->> 'cost')::double precision as cost from found where data -> 'usage' is not null)
  select
    (select jsonb_agg(f) from (select * from files order by path limit ${LISTED}) f) as files,
    (select count(*)::int from files) as file_count,
    (select jsonb_agg(n) from (select * from entities order by entity_type, entity_name limit ${LISTED}) n) as entities,
    (select count(*)::int from entities) as entity_count,
    (select jsonb_agg(s.data::jsonb order by (s.data ->> 'step')::integer) from (select * from steps order by at desc limit ${LISTED}) s) as steps,
    (select jsonb_build_object('run_id', run_id, 'round', data -> 'round', 'verdict', data -> 'verdict', 'by', data -> 'by',
        'reasons', data -> 'reasons', 'at', at)
      from found where type = 'verdict' order by at desc, seq desc limit 1) as verdict,
    (select count(*)::int from spent) as model_calls,
    (select coalesce(sum((usage ->> 'input')::double precision), 0) from spent) as input,
    (select coalesce(sum((usage ->> 'output')::double precision), 0) from spent) as output,
    (select sum(cost) from spent) as cost,
    c.calls, c.failed_calls
  from (
    select count(*)::int as calls, (count(*) filter (where e.data::text like '%"success":false%'))::int as failed_calls
    from family f join events e on e.thread_id = f.thread_id and e.seq > f.after and (e.thread_id = $1 or e.at > f.since)
    where e.type = 'tool_end') c`;

interface FoundRow {
  readonly files: ChatDigest['files'] | null;
  readonly file_count: number;
  readonly entities: ChatDigest['entities'] | null;
  readonly entity_count: number;
  readonly steps: readonly EventData['plan_step'][] | null;
  readonly verdict: NonNullable<ChatDigest['verdict']> | null;
  readonly model_calls: number;
  readonly input: number;
  readonly output: number;
  readonly cost: number | null;
  readonly calls: number;
  readonly failed_calls: number;
}

/** Runs that began or ended in this time, or that are open now. */
const RECENT_RUNS = `from family f join runs r on r.thread_id = f.thread_id join threads t on t.id = r.thread_id
  where r.status in ('queued', 'running') or r.ended_at > f.since or r.queued_at > f.since`;

const RUNS = `${FAMILY}
  select r.id, r.thread_id, r.parent_run, t.title, r.status, r.queued_at, r.started_at, r.ended_at, readable(r.error)::jsonb as error,
    (select left(readable(e.data) ->> 'text', ${TEXT_CHARACTERS}) from events e where e.thread_id = r.thread_id and e.seq between r.first_seq and r.last_seq
      and e.run_id = r.id and e.type = 'final' limit 1) as text
  ${RECENT_RUNS} order by r.queued_at desc, r.id desc limit ${LISTED_RUNS}`;

interface RunRow {
  readonly id: string;
  readonly thread_id: string;
  readonly parent_run: string | null;
  readonly title: string | null;
  readonly status: RunStatus;
  readonly queued_at: Date;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
  readonly error: RunError | null;
  readonly text: string | null;
}

function toRun(row: RunRow): ChatDigest['runs'][number] {
  const { error } = row;
  return {
    run_id: row.id,
    chat_id: row.thread_id,
    parent_run: row.parent_run,
    title: row.title,
    status: row.status,
    queued_at: row.queued_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
    error: error && { code: error.code, error: error.error },
    text: row.text,
  };
}

function toStep(data: EventData['plan_step']): ChatDigest['steps'][number] {
  return {
    plan_id: data.plan,
    step: data.step,
    step_id: data.step_id,
    title: data.title ?? null,
    status: data.status,
    error: data.error ?? null,
    chat_id: data.chat ?? null,
  };
}

/** What waits for a person now: decisions about calls, the approval of a plan, a resume; and a last run that failed. */
async function readNeeds(client: Queryable, { chatId, state }: DigestQuery): Promise<ChatDigest['needs']> {
  const { rows } = await client.query<{
    kind: ChatDigest['needs'][number]['kind'] | 'call';
    text: string;
    chat_id: string;
    run_id: string | null;
    approval_id: string | null;
    plan_id: string | null;
  }>({
    name: 'read_digest_needs',
    text: `with family as (select $1::uuid as thread_id union all select thread from descendant_threads($1))
      select a.kind, case when a.kind = 'question' then a.reason else a.tool || ': ' || a.reason end as text, a.thread_id as chat_id, a.run_id,
        a.id as approval_id, null::uuid as plan_id, a.asked_at as at
      from family f join approvals a on a.thread_id = f.thread_id and a.decision is null
        and (a.expires_at is null or a.expires_at > clock_timestamp())
      union all
      select 'plan_approval', 'approve the plan ' || n.path, f.thread_id, p.run_id, null, p.id, null
      from family f join plans p on p.chat_id = f.thread_id and p.hash is not null and p.approved_hash is distinct from p.hash
        join files n on n.id = p.id join runs r on r.id = p.run_id and r.status in ('queued', 'running')
      union all
      select 'failed_run', readable(r.error) ->> 'error', r.thread_id, r.id, null, null, r.ended_at
      from (select * from runs where thread_id = $1 order by ordinal desc limit 1) r where r.status = 'error'
      order by at nulls last limit ${LISTED}`,
    values: [chatId],
  });
  const asked = rows.map((row) => ({
    kind: row.kind === 'call' ? ('approval' as const) : row.kind,
    text: row.text,
    chat_id: row.chat_id,
    run_id: row.run_id,
    approval_id: row.approval_id,
    plan_id: row.plan_id,
  }));
  if (state !== 'paused') return asked;
  const text = 'the chat is paused; resume it, or stop it';
  return [
    ...asked,
    { kind: 'resume', text, chat_id: chatId, run_id: null, approval_id: null, plan_id: null },
  ];
}
