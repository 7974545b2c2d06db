-- Workspaces, threads, runs, the log, sessions, pods, idempotency keys.

create table workspaces (
  id uuid primary key,
  name text not null unique,
  created_at timestamptz not null default now()
);

insert into workspaces (id, name) values ('00000000-0000-7000-8000-000000000001', 'default');

-- A running server process. `number` names its session advisory lock; lock free or heartbeat
-- older than the lease: the pod is dead, and its threads are free.
create sequence pod_numbers as integer cycle;

create table pods (
  id uuid primary key,
  number integer not null unique,
  name text not null,
  lease interval not null,
  started_at timestamptz not null default clock_timestamp(),
  heartbeat_at timestamptz not null default clock_timestamp()
);

-- `wake_at` is the only timer: whoever wants something of a thread sets it. `owner` is the pod that
-- holds the thread, `attempt` counts the holds. An owner that is no registered pod owns nothing.
create table threads (
  id uuid primary key,
  workspace_id uuid not null references workspaces (id),
  title text,
  created_at timestamptz not null default now(),
  wake_at timestamptz,
  owner uuid,
  attempt integer not null default 0
) with (fillfactor = 70);

create index threads_due on threads (wake_at) where owner is null and wake_at is not null;
create index threads_owned on threads (owner) where owner is not null;
create index threads_listed on threads (workspace_id, created_at desc, id desc);

create table runs (
  id uuid primary key,
  thread_id uuid not null references threads (id),
  -- The order of the thread's runs, from 1.
  ordinal integer not null,
  message_id uuid not null,
  retry_of uuid references runs (id),
  model text not null,
  role text not null,
  status text not null default 'queued' check (status in ('queued', 'running', 'done', 'error', 'canceled')),
  -- What the message asked for; the server's own limits fill the gaps.
  limits json,
  error json,
  usage json,
  cost double precision,
  first_seq integer,
  last_seq integer,
  queued_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  ended_at timestamptz,
  cancel_requested_at timestamptz,
  cancel_reason text,
  unique (thread_id, ordinal)
) with (fillfactor = 70);

create index runs_open on runs (thread_id, ordinal) where status in ('queued', 'running');

-- What people and models said, in reading order (ordinal of the run, then seq). A person's message
-- is written with its run, before the log knows of it (seq 0); a model's with its event.
create table messages (
  id uuid primary key,
  thread_id uuid not null references threads (id),
  run_id uuid not null,
  ordinal integer not null,
  seq integer not null,
  role text not null check (role in ('user', 'assistant')),
  content json not null,
  created_at timestamptz not null default clock_timestamp()
);

create index messages_read on messages (thread_id, ordinal, seq);

-- The log. One table, one index. `data` is json, not jsonb: a replay is byte for byte the live stream.
create table events (
  thread_id uuid not null,
  seq integer not null,
  run_id uuid,
  run_seq integer,
  attempt integer not null,
  type text not null,
  data json not null,
  at timestamptz not null,
  primary key (thread_id, seq)
);

create function refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('continuo.purging', true) = 'on' then
    return null;
  end if;
  raise exception 'the log is append-only: % of % refused', lower(tg_op), tg_table_name
    using errcode = 'CN002', hint = 'purge_thread(id) deletes a whole thread.';
end $$;

create trigger events_append_only before update or delete or truncate on events
  for each statement execute function refuse_change();

create function purge_thread(p_thread uuid) returns void language plpgsql as $$
begin
  perform set_config('continuo.purging', 'on', true);
  delete from events where thread_id = p_thread;
  perform set_config('continuo.purging', 'off', true);
  delete from messages where thread_id = p_thread;
  delete from sessions where thread_id = p_thread;
  delete from runs where thread_id = p_thread;
  delete from threads where id = p_thread;
end $$;

create table sessions (
  id uuid primary key,
  thread_id uuid not null references threads (id),
  state text not null check (state in ('idle', 'running', 'paused', 'error', 'cancelled', 'completed')),
  reason text not null,
  started_at timestamptz not null default clock_timestamp(),
  changed_at timestamptz not null default clock_timestamp()
);

create unique index sessions_one_live on sessions (thread_id) where state in ('idle', 'running', 'paused');

create table idempotency_keys (
  workspace_id uuid not null references workspaces (id),
  key text not null,
  request_hash text not null,
  response json not null,
  created_at timestamptz not null default now(),
  primary key (workspace_id, key)
);

create index idempotency_keys_age on idempotency_keys (created_at);

-- Stores a person's message and queues its run, and lets the caller's pod claim the thread in the same
-- transaction if nobody owns it. A function, not one statement: after waiting for the thread's
-- lock each statement must see what was committed meanwhile.
create function enqueue_run(
  p_thread uuid, p_run uuid, p_message uuid, p_content json, p_model text, p_role text, p_limits json,
  p_retry_of uuid, p_pod uuid,
  out owner uuid, out claimed_attempt integer
) language plpgsql as $$
declare
  v_thread threads%rowtype;
  v_ordinal integer;
begin
  select * into v_thread from threads t where t.id = p_thread for no key update;
  if not found then
    raise exception 'no such thread' using errcode = 'CN404';
  end if;
  if (select count(*) from runs r where r.thread_id = p_thread and r.status = 'queued') >= 100 then
    raise exception 'too many queued runs' using errcode = 'CN429';
  end if;
  select coalesce(max(r.ordinal), 0) + 1 into v_ordinal from runs r where r.thread_id = p_thread;
  insert into runs (id, thread_id, ordinal, message_id, retry_of, model, role, limits)
    values (p_run, p_thread, v_ordinal, p_message, p_retry_of, p_model, p_role, p_limits);
  if p_retry_of is null then
    insert into messages (id, thread_id, run_id, ordinal, seq, role, content)
      values (p_message, p_thread, p_run, v_ordinal, 0, 'user', p_content);
  end if;
  if v_thread.owner is null and p_pod is not null then
    update threads t set owner = p_pod, attempt = t.attempt + 1, wake_at = null where t.id = p_thread
      returning t.owner, t.attempt into owner, claimed_attempt;
  else
    update threads t set wake_at = least(t.wake_at, clock_timestamp()) where t.id = p_thread;
    owner := v_thread.owner;
  end if;
end $$;

-- Appends events together with the rows that they changed. Each change names its kind:
--   start    the run begins           {run, seq, at}
--   end      the run ends             {run, seq, at, status, error, usage, cost}
--   message  a model's message        {id, thread, run, ordinal, seq, content, at}
--   session  a session's new state    {id, thread, state, reason, at}
-- JSON inside a change (content, error, usage) comes as text: json_to_recordset refuses NUL and lone surrogates.
-- A run starts once, and one whose cancellation was accepted can only end canceled: CN001 undoes the whole append.
create function append_with_changes(
  p_threads uuid[], p_seqs integer[], p_runs uuid[], p_run_seqs integer[], p_attempts integer[],
  p_types text[], p_data text[], p_at timestamptz[], p_changes json
) returns void language plpgsql as $$
declare
  v record;
begin
  insert into events (thread_id, seq, run_id, run_seq, attempt, type, data, at)
    select t, s, r, rs, a, ty, d::json, ts
    from unnest(p_threads, p_seqs, p_runs, p_run_seqs, p_attempts, p_types, p_data, p_at)
      as u (t, s, r, rs, a, ty, d, ts);

  for v in
    select * from json_to_recordset(p_changes) as c (
      kind text, id uuid, thread uuid, run uuid, seq integer, ordinal integer, at timestamptz,
      status text, state text, reason text, content text, error text, usage text, cost double precision)
  loop
    case v.kind
    when 'start' then
      update runs set status = 'running', started_at = v.at, first_seq = v.seq where id = v.run and status = 'queued';
      if not found then
        raise exception 'run % cannot start', v.run using errcode = 'CN001';
      end if;
    when 'end' then
      update runs set status = v.status, ended_at = v.at, last_seq = v.seq,
          error = v.error::json, usage = v.usage::json, cost = v.cost,
          first_seq = coalesce(first_seq, v.seq - 1)
        where id = v.run and status in ('queued', 'running')
          and (cancel_requested_at is null or v.status = 'canceled');
      if not found then
        raise exception 'run % cannot end %', v.run, v.status using errcode = 'CN001';
      end if;
    when 'message' then
      insert into messages (id, thread_id, run_id, ordinal, seq, role, content, created_at)
        values (v.id, v.thread, v.run, v.ordinal, v.seq, 'assistant', v.content::json, v.at);
    when 'session' then
      insert into sessions (id, thread_id, state, reason, started_at, changed_at)
        values (v.id, v.thread, v.state, v.reason, v.at, v.at)
        on conflict (id) do update set state = excluded.state, reason = excluded.reason, changed_at = excluded.changed_at;
    end case;
  end loop;
end $$;

-- A pod's heartbeat, and its look at the others: renews its lease, removes the dead, frees threads whose
-- owner is no registered pod, and says what there is to do. `alive` is false if it was itself removed.
create function pod_tick(
  p_pod uuid, p_lock_class integer,
  out alive boolean, out others integer, out removed integer, out freed integer,
  out due boolean, out next_wake_ms double precision, out owned integer, out woken uuid[]
) language plpgsql as $$
begin
  update pods set heartbeat_at = clock_timestamp() where id = p_pod;
  alive := found;

  -- A row that is locked is just being renewed, or removed by another: two late pods must not wait for each other.
  delete from pods where id in (
    select p.id from pods p
    where p.id <> p_pod and (
      p.heartbeat_at < clock_timestamp() - p.lease
      or not exists (
        select from pg_locks l
        where l.locktype = 'advisory' and l.classid = p_lock_class::oid and l.objid = p.number::oid
          and l.objsubid = 2 and l.granted
          and l.database = (select oid from pg_database where datname = current_database())))
    for update skip locked);
  get diagnostics removed = row_count;

  update threads set owner = null, wake_at = least(wake_at, clock_timestamp())
    where id in (
      select t.id from threads t
      where t.owner is not null and not exists (select from pods p where p.id = t.owner)
      for no key update skip locked);
  get diagnostics freed = row_count;

  select count(*) into others from pods where id <> p_pod;
  select min(wake_at) <= clock_timestamp(), extract(epoch from min(wake_at) - clock_timestamp()) * 1000
    into due, next_wake_ms from threads where owner is null and wake_at is not null;
  due := coalesce(due, false);
  select count(*), array_agg(id) filter (where wake_at <= clock_timestamp())
    into owned, woken from threads where owner = p_pod;
end $$;

-- What others want of a thread, for its owner: clears `wake_at` first, so that whatever comes later sets it again.
-- Of the runs that wait only the next one is told, with its message, and those that were canceled.
-- A thread that was freed has no owner and keeps its attempt until it is claimed: its `wake_at` is for whoever claims it.
create function take_facts(p_thread uuid, p_attempt integer)
returns table (
  id uuid, ordinal integer, model text, role text, limits json, queued_at timestamptz, cancel_reason text,
  message_id uuid, content json
) language plpgsql as $$
begin
  update threads t set wake_at = null
    where t.id = p_thread and t.attempt = p_attempt and t.owner is not null and t.wake_at is not null;
  return query
    select r.id, r.ordinal, r.model, r.role, r.limits, r.queued_at, r.cancel_reason, r.message_id, m.content
    from runs r
    left join messages m on m.id = r.message_id and r.status = 'queued' and r.cancel_requested_at is null
    where r.thread_id = p_thread and r.status in ('queued', 'running')
      and (r.status = 'running' or r.cancel_requested_at is not null or r.ordinal = (
        select min(n.ordinal) from runs n
        where n.thread_id = p_thread and n.status = 'queued' and n.cancel_requested_at is null))
    order by r.ordinal;
end $$;
