-- A rewind goes to a message's place in the conversation, and takes effect even if the run that carries it never begins. Every
-- function that locks runs locks them before their thread, and never against a foreign key.

-- The conversation is in the order of the runs. `rewinds` names the first run that is taken back; its successors up to the run that
-- rewinds go with it, those that never began included.
create function mark_rewound(p_first uuid, p_before integer) returns void language sql as $$
  update runs o set rewound = true from runs f
    where f.id = p_first and o.thread_id = f.thread_id and o.ordinal >= f.ordinal and o.ordinal < p_before and not o.rewound
$$;

-- Stores a person's message and queues its run, and lets the caller's pod claim the thread in the same
-- transaction if nobody owns it. A function, not one statement: after waiting for the thread's
-- lock each statement must see what was committed meanwhile.
-- What happens to a thread that is busy is `p_policy`: enqueue, reject (CN409), interrupt (open runs are canceled), rollback (and
-- the history forgets the one that had begun) or steer (the message goes to the run that has begun: `steered`). A message that
-- `p_replaces` another rewinds to that one's place: open runs from there on are canceled, and earlier ones are as the policy says
-- (CN422 if no run was queued for it, or it was taken back).
-- CN429: 100 wait already.
-- Runs are locked before approvals, and both before their thread, as by the pod that appends.
-- `blocked_by` is the last open run before this one. A pod that claimed is also told where the log ends and what the message
-- says: if nothing blocks the run, these are all the facts.
create or replace function enqueue_run(
  p_thread uuid, p_run uuid, p_message uuid, p_content json, p_model text, p_role text, p_limits json,
  p_retry_of uuid, p_pod uuid, p_policy text, p_replaces uuid,
  out owner uuid, out claimed_attempt integer, out workspace_id uuid, out ordinal integer,
  out queued_at timestamptz, out blocked_by uuid, out log_seq integer, out content json, out steered uuid,
  out title_wanted boolean
) language plpgsql as $$
declare
  v_thread threads%rowtype;
  v_rewinds uuid;
  v_from integer;
  v_steers integer;
begin
  if p_policy = 'steer' and p_replaces is null then
    update runs r set steers = r.steers + 1
      where r.thread_id = p_thread and r.status = 'running' and r.cancel_requested_at is null
      returning r.id, r.ordinal, r.queued_at, r.steers into steered, ordinal, queued_at, v_steers;
  elsif p_policy in ('interrupt', 'rollback') or p_replaces is not null then
    perform from runs r where r.thread_id = p_thread and r.status in ('queued', 'running')
      order by r.ordinal for no key update;
    if p_replaces is not null then
      -- A message may have several runs: of those that began, only the last can still be part of the history. A message that no
      -- run has begun with stands where its last run waited.
      with said as (
        select a.id, a.ordinal, a.rewound, a.started_at is not null as began
        from messages m join runs a on a.thread_id = p_thread and a.message_id = m.id
        where m.id = p_replaces and m.thread_id = p_thread and m.role = 'user' and m.seq = 0)
      select s.id, s.ordinal into v_rewinds, v_from from said s
        where not s.rewound and s.ordinal in (
          (select max(o.ordinal) from said o where o.began), (select max(o.ordinal) from said o))
        order by s.began desc limit 1;
      if not found then
        raise exception 'no such message' using errcode = 'CN422';
      end if;
    end if;
    if p_policy = 'rollback' then
      select r.id, r.ordinal into v_rewinds, v_from from runs r
        where r.thread_id = p_thread and (r.status = 'running' or r.id = v_rewinds) order by r.ordinal limit 1;
    end if;
    update runs r set cancel_requested_at = clock_timestamp(),
        cancel_reason = case when r.ordinal >= v_from then 'rolled_back' else 'interrupted' end
      where r.thread_id = p_thread and r.status in ('queued', 'running') and r.cancel_requested_at is null
        and (r.ordinal >= v_from or p_policy in ('interrupt', 'rollback'));
  end if;
  if p_retry_of is not null then
    -- The foreign key would lock this row after the thread's.
    perform from runs r where r.id = p_retry_of for key share;
  end if;

  select * into v_thread from threads t where t.id = p_thread for no key update;
  if not found or v_thread.removed_at is not null then
    raise exception 'no such thread' using errcode = 'CN404';
  end if;
  workspace_id := v_thread.workspace_id;
  title_wanted := v_thread.title_wanted;
  if steered is not null then
    if (select count(*) from messages m
        where m.thread_id = p_thread and m.ordinal = enqueue_run.ordinal and m.seq >= 2000000000) >= 100 then
      raise exception 'too many messages wait' using errcode = 'CN429';
    end if;
    -- At the end of its run, in order, until the run takes it in.
    insert into messages (id, thread_id, run_id, ordinal, seq, role, content)
      values (p_message, p_thread, steered, enqueue_run.ordinal, 2000000000 + v_steers, 'user', p_content);
    update threads t set wake_at = least(t.wake_at, clock_timestamp()), active_at = clock_timestamp() where t.id = p_thread;
    owner := v_thread.owner;
    return;
  end if;
  select r.id into blocked_by from runs r
    where r.thread_id = p_thread and r.status in ('queued', 'running') order by r.ordinal desc limit 1;
  if blocked_by is not null then
    if p_policy = 'reject' then
      raise exception 'the thread is busy' using errcode = 'CN409', detail = blocked_by::text;
    end if;
    if (select count(*) from runs r
        where r.thread_id = p_thread and r.status = 'queued' and r.cancel_requested_at is null) >= 100 then
      raise exception 'too many queued runs' using errcode = 'CN429';
    end if;
  end if;
  insert into runs as r (id, thread_id, ordinal, message_id, retry_of, model, role, limits, rewinds)
    values (p_run, p_thread,
      coalesce((select max(o.ordinal) from runs o where o.thread_id = p_thread), 0) + 1,
      p_message, p_retry_of, p_model, p_role, p_limits, v_rewinds)
    returning r.ordinal, r.queued_at into ordinal, queued_at;
  if p_retry_of is null then
    insert into messages (id, thread_id, run_id, ordinal, seq, role, content)
      values (p_message, p_thread, p_run, enqueue_run.ordinal, 0, 'user', p_content);
  end if;
  if v_thread.owner is null and p_pod is not null then
    update threads t set owner = p_pod, attempt = t.attempt + 1, wake_at = null, active_at = clock_timestamp()
      where t.id = p_thread
      returning t.owner, t.attempt into owner, claimed_attempt;
    if v_rewinds is null and v_thread.stop_requested_at is null then
      select coalesce(max(e.seq), 0) into log_seq from events e where e.thread_id = p_thread;
    end if;
    content := p_content;
    if p_retry_of is not null then
      select m.content into content from messages m where m.id = p_message;
    end if;
  else
    update threads t set wake_at = least(t.wake_at, clock_timestamp()), active_at = clock_timestamp() where t.id = p_thread;
    owner := v_thread.owner;
  end if;
end $$;

-- Ends what is going on in a thread: its open runs are canceled and its session ends. `asked` is false where there is neither.
create or replace function stop_thread(p_thread uuid, p_reason text, out asked boolean, out owner uuid, out session text)
language plpgsql as $$
declare
  v_canceled integer;
begin
  perform from runs r where r.thread_id = p_thread and r.status in ('queued', 'running') order by r.ordinal for no key update;
  update runs r set cancel_requested_at = clock_timestamp(), cancel_reason = p_reason
    where r.thread_id = p_thread and r.status in ('queued', 'running') and r.cancel_requested_at is null;
  get diagnostics v_canceled = row_count;
  perform from threads t where t.id = p_thread for no key update;
  select s.state into session from sessions s where s.thread_id = p_thread order by s.started_at desc, s.id desc limit 1;
  asked := v_canceled > 0 or session in ('idle', 'running', 'paused')
    or exists (select from runs r where r.thread_id = p_thread and r.status in ('queued', 'running'));
  if asked then
    update threads t set stop_requested_at = clock_timestamp(), wake_at = least(t.wake_at, clock_timestamp())
      where t.id = p_thread returning t.owner into owner;
  end if;
end $$;

-- `outcome`: steered (also by an earlier request), not_waiting, nothing_at_work, queue_full. The message keeps its id and its
-- files. A message that was said before is not moved: a run that tries again has no message of its own.
create or replace function steer_queued(p_run uuid, out outcome text, out steered uuid, out owner uuid) language plpgsql as $$
declare
  v_thread uuid;
  v_run runs%rowtype;
  v_ordinal integer;
  v_steers integer;
begin
  select r.thread_id into v_thread from runs r where r.id = p_run;
  perform from runs r where r.thread_id = v_thread and r.status in ('queued', 'running') order by r.ordinal for no key update;
  select * into v_run from runs r where r.id = p_run;
  if v_run.steered_into is not null then
    outcome := 'steered';
    steered := v_run.steered_into;
    return;
  end if;
  if v_run.status <> 'queued' or v_run.cancel_requested_at is not null or v_run.retry_of is not null then
    outcome := 'not_waiting';
    return;
  end if;
  select r.id, r.ordinal, r.steers + 1 into steered, v_ordinal, v_steers from runs r
    where r.thread_id = v_thread and r.status = 'running' and r.cancel_requested_at is null;
  if not found then
    outcome := 'nothing_at_work';
    return;
  end if;
  if (select count(*) from messages m where m.thread_id = v_thread and m.ordinal = v_ordinal and m.seq >= 2000000000) >= 100 then
    outcome := 'queue_full';
    return;
  end if;
  update messages m set run_id = steered, ordinal = v_ordinal, seq = 2000000000 + v_steers where m.id = v_run.message_id;
  update runs r set steers = v_steers where r.id = steered;
  update runs r set cancel_requested_at = clock_timestamp(), cancel_reason = 'steered', steered_into = steered where r.id = p_run;
  update threads t set wake_at = least(t.wake_at, clock_timestamp()) where t.id = v_thread returning t.owner into owner;
  outcome := 'steered';
end $$;

-- Appends events together with the rows that they changed. Each change names its kind:
--   start     the run begins           {run, seq, at}
--   end       the run ends             {run, seq, at, status, error, usage, cost, steers, asked}
--   message   a model's message        {id, thread, run, ordinal, seq, content, at}
--   steered   a message is taken in    {id, seq}
--   session   a session's new state    {id, thread, state, reason, at}
--   approval  a person is asked        {id, workspace, thread, run, call, tool, subkind, content, paths, reason, at, expires_at}
--   title     the thread has a title   {thread, title}
--   release   the thread is let go     {thread, attempt, wake_at}; not if it has an open run, or somebody woke it
-- JSON inside a change (content, error, usage, paths) comes as text: json_to_recordset refuses NUL and lone surrogates.
-- A run starts once; a run whose cancellation was accepted can only end canceled; and a run that was sent a message must take it
-- in before it ends by itself: CN001 undoes the whole append.
-- Returns the threads that were let go.
create or replace function append_with_changes(
  p_threads uuid[], p_seqs integer[], p_runs uuid[], p_run_seqs integer[], p_attempts integer[],
  p_types text[], p_data text[], p_at timestamptz[], p_changes json
) returns uuid[] language plpgsql as $$
declare
  v record;
  v_released uuid[];
  v_rewinds uuid;
  v_ordinal integer;
begin
  insert into events (thread_id, seq, run_id, run_seq, attempt, type, data, at)
    select t, s, r, rs, a, ty, d::json, ts
    from unnest(p_threads, p_seqs, p_runs, p_run_seqs, p_attempts, p_types, p_data, p_at)
      as u (t, s, r, rs, a, ty, d, ts);

  for v in
    select * from json_to_recordset(p_changes) as c (
      kind text, id uuid, thread uuid, run uuid, seq integer, ordinal integer, at timestamptz, attempt integer,
      status text, state text, reason text, content text, error text, usage text, cost double precision,
      steers integer, asked boolean, workspace uuid, call text, tool text, subkind text, paths text,
      expires_at timestamptz, wake_at timestamptz, title text)
  loop
    case v.kind
    when 'start' then
      update runs set status = 'running', started_at = v.at, first_seq = v.seq where id = v.run and status = 'queued'
        returning rewinds, ordinal into v_rewinds, v_ordinal;
      if not found then
        raise exception 'run % cannot start', v.run using errcode = 'CN001';
      end if;
      if v_rewinds is not null then
        perform mark_rewound(v_rewinds, v_ordinal);
      end if;
    when 'end' then
      update runs set status = v.status, ended_at = v.at, last_seq = v.seq,
          error = v.error::json, usage = v.usage::json, cost = v.cost,
          first_seq = coalesce(first_seq, v.seq - 1)
        where id = v.run and status in ('queued', 'running')
          and (v.status = 'canceled' or (cancel_requested_at is null and steers = coalesce(v.steers, 0)))
        returning case when started_at is null then rewinds end, ordinal into v_rewinds, v_ordinal;
      if not found then
        raise exception 'run % cannot end %', v.run, v.status using errcode = 'CN001';
      end if;
      -- The run never began: what its message took back is taken back all the same.
      if v_rewinds is not null then
        perform mark_rewound(v_rewinds, v_ordinal);
      end if;
      if v.asked then
        update approvals set decision = 'canceled', decided_at = v.at where run_id = v.run and decision is null;
      end if;
    when 'message' then
      insert into messages (id, thread_id, run_id, ordinal, seq, role, content, created_at)
        values (v.id, v.thread, v.run, v.ordinal, v.seq, 'assistant', v.content::json, v.at);
    when 'steered' then
      update messages set seq = v.seq where id = v.id;
    when 'session' then
      insert into sessions (id, thread_id, state, reason, started_at, changed_at)
        values (v.id, v.thread, v.state, v.reason, v.at, v.at)
        on conflict (id) do update set state = excluded.state, reason = excluded.reason, changed_at = excluded.changed_at;
      if v.state in ('error', 'cancelled', 'completed') then
        update threads set stop_requested_at = null where id = v.thread and stop_requested_at is not null;
      end if;
    when 'approval' then
      insert into approvals (id, workspace_id, thread_id, run_id, call, tool, kind, input, paths, reason, asked_at, expires_at)
        values (v.id, v.workspace, v.thread, v.run, v.call, v.tool, v.subkind, v.content::json, v.paths::json, v.reason, v.at,
          v.expires_at);
    when 'title' then
      update threads set title = coalesce(title, v.title), title_wanted = false where id = v.thread and title_wanted;
    when 'release' then
      update threads t set owner = null, wake_at = v.wake_at
        where t.id = v.thread and t.attempt = v.attempt and t.owner is not null and t.wake_at is null
          and not exists (select from runs r where r.thread_id = v.thread and r.status in ('queued', 'running'));
      if found then
        v_released := array_append(v_released, v.thread);
      end if;
    end case;
  end loop;
  return v_released;
end $$;

-- What others want of a thread, for its owner: clears `wake_at` first, so that a later wish sets it again.
-- Of the runs that wait only the next one is told, with its message, and those that were canceled; of the run that has begun
-- also the messages that it was sent and what people decided. There is always a row: without a run, it tells of the thread alone.
-- `rewind_to` is the place before the first run that began and is taken back; null where none is.
-- A thread that was freed has no owner and keeps its attempt until it is claimed: its `wake_at` is for the pod that claims it.
create or replace function take_facts(p_thread uuid, p_attempt integer)
returns table (
  workspace_id uuid, stop boolean, pinged_at timestamptz, title_wanted boolean,
  id uuid, ordinal integer, model text, role text, limits json, queued_at timestamptz, cancel_reason text,
  message_id uuid, content json, pause boolean, rewind_to integer, steers json, decisions json
) language plpgsql as $$
begin
  -- The row's lock decides between a late answer and none. Approvals are locked before their thread, as by who decides.
  update approvals a set decision = 'expired', decided_at = clock_timestamp()
    where a.thread_id = p_thread and a.decision is null and a.expires_at <= clock_timestamp();
  update threads t set wake_at = null
    where t.id = p_thread and t.attempt = p_attempt and t.owner is not null and t.wake_at is not null;
  return query
    select t.workspace_id, t.stop_requested_at is not null, t.pinged_at, t.title_wanted,
      r.id, r.ordinal, r.model, r.role, r.limits, r.queued_at, r.cancel_reason, r.message_id, m.content,
      r.pause_requested_at is not null,
      case when r.rewinds is not null then (
        select min(b.first_seq) - 1 from runs w
        join runs b on b.thread_id = p_thread and b.ordinal >= w.ordinal and b.ordinal < r.ordinal and b.started_at is not null
        where w.id = r.rewinds) end,
      case when r.steers > 0 then (
        select json_agg(json_build_object('id', s.id, 'content', s.content) order by s.seq)
        from messages s where s.thread_id = p_thread and s.run_id = r.id and s.seq >= 2000000000) end,
      case when r.status = 'running' then (
        select json_agg(json_build_object(
          'approval', a.id, 'decision', a.decision, 'input', a.decided_input, 'comment', a.comment))
        from approvals a where a.run_id = r.id and a.decision is not null) end
    from threads t
    left join runs r on r.thread_id = t.id and r.status in ('queued', 'running')
      and (r.status = 'running' or r.cancel_requested_at is not null or r.ordinal = (
        select min(n.ordinal) from runs n
        where n.thread_id = p_thread and n.status = 'queued' and n.cancel_requested_at is null))
    left join messages m on m.id = r.message_id and r.status = 'queued' and r.cancel_requested_at is null
    where t.id = p_thread
    order by r.ordinal;
end $$;
