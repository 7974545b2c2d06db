-- A run in fewer statements: enqueuing tells all that the 202 and a first look would ask for, facts name the
-- workspace, and a run's last append may let its thread go.

drop function enqueue_run(uuid, uuid, uuid, json, text, text, json, uuid, uuid);

-- Stores a person's message and queues its run, and lets the caller's pod claim the thread in the same
-- transaction if nobody owns it. A function, not one statement: after waiting for the thread's
-- lock each statement must see what was committed meanwhile.
-- `blocked_by` is the last open run before this one. Who claimed is also told where the log ends and what the message
-- says: if nothing blocks the run, these are all the facts.
create function enqueue_run(
  p_thread uuid, p_run uuid, p_message uuid, p_content json, p_model text, p_role text, p_limits json,
  p_retry_of uuid, p_pod uuid,
  out owner uuid, out claimed_attempt integer, out workspace_id uuid, out ordinal integer,
  out queued_at timestamptz, out blocked_by uuid, out log_seq integer, out content json
) language plpgsql as $$
declare
  v_thread threads%rowtype;
begin
  select * into v_thread from threads t where t.id = p_thread for no key update;
  if not found then
    raise exception 'no such thread' using errcode = 'CN404';
  end if;
  workspace_id := v_thread.workspace_id;
  select r.id into blocked_by from runs r
    where r.thread_id = p_thread and r.status in ('queued', 'running') order by r.ordinal desc limit 1;
  if blocked_by is not null
    and (select count(*) from runs r where r.thread_id = p_thread and r.status = 'queued') >= 100 then
    raise exception 'too many queued runs' using errcode = 'CN429';
  end if;
  insert into runs as r (id, thread_id, ordinal, message_id, retry_of, model, role, limits)
    values (p_run, p_thread,
      coalesce((select max(o.ordinal) from runs o where o.thread_id = p_thread), 0) + 1,
      p_message, p_retry_of, p_model, p_role, p_limits)
    returning r.ordinal, r.queued_at into ordinal, queued_at;
  if p_retry_of is null then
    insert into messages (id, thread_id, run_id, ordinal, seq, role, content)
      values (p_message, p_thread, p_run, enqueue_run.ordinal, 0, 'user', p_content);
  end if;
  if v_thread.owner is null and p_pod is not null then
    update threads t set owner = p_pod, attempt = t.attempt + 1, wake_at = null where t.id = p_thread
      returning t.owner, t.attempt into owner, claimed_attempt;
    select coalesce(max(e.seq), 0) into log_seq from events e where e.thread_id = p_thread;
    content := p_content;
    if p_retry_of is not null then
      select m.content into content from messages m where m.id = p_message;
    end if;
  else
    update threads t set wake_at = least(t.wake_at, clock_timestamp()) where t.id = p_thread;
    owner := v_thread.owner;
  end if;
end $$;

drop function append_with_changes(uuid[], integer[], uuid[], integer[], integer[], text[], text[], timestamptz[], json);

-- Appends events together with the rows that they changed. Each change names its kind:
--   start    the run begins           {run, seq, at}
--   end      the run ends             {run, seq, at, status, error, usage, cost}
--   message  a model's message        {id, thread, run, ordinal, seq, content, at}
--   session  a session's new state    {id, thread, state, reason, at}
--   release  the thread is let go     {thread, attempt}; not if it has an open run, or somebody woke it
-- JSON inside a change (content, error, usage) comes as text: json_to_recordset refuses NUL and lone surrogates.
-- A run starts once, and one whose cancellation was accepted can only end canceled: CN001 undoes the whole append.
-- Tells which threads were let go.
create function append_with_changes(
  p_threads uuid[], p_seqs integer[], p_runs uuid[], p_run_seqs integer[], p_attempts integer[],
  p_types text[], p_data text[], p_at timestamptz[], p_changes json
) returns uuid[] language plpgsql as $$
declare
  v record;
  v_released uuid[];
begin
  insert into events (thread_id, seq, run_id, run_seq, attempt, type, data, at)
    select t, s, r, rs, a, ty, d::json, ts
    from unnest(p_threads, p_seqs, p_runs, p_run_seqs, p_attempts, p_types, p_data, p_at)
      as u (t, s, r, rs, a, ty, d, ts);

  for v in
    select * from json_to_recordset(p_changes) as c (
      kind text, id uuid, thread uuid, run uuid, seq integer, ordinal integer, at timestamptz, attempt integer,
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
    when 'release' then
      update threads t set owner = null
        where t.id = v.thread and t.attempt = v.attempt and t.owner is not null and t.wake_at is null
          and not exists (select from runs r where r.thread_id = v.thread and r.status in ('queued', 'running'));
      if found then
        v_released := array_append(v_released, v.thread);
      end if;
    end case;
  end loop;
  return v_released;
end $$;

drop function take_facts(uuid, integer);

-- What others want of a thread, for its owner: clears `wake_at` first, so that whatever comes later sets it again.
-- Of the runs that wait only the next one is told, with its message, and those that were canceled.
-- A thread that was freed has no owner and keeps its attempt until it is claimed: its `wake_at` is for whoever claims it.
create function take_facts(p_thread uuid, p_attempt integer)
returns table (
  id uuid, ordinal integer, model text, role text, limits json, queued_at timestamptz, cancel_reason text,
  message_id uuid, content json, workspace_id uuid
) language plpgsql as $$
begin
  update threads t set wake_at = null
    where t.id = p_thread and t.attempt = p_attempt and t.owner is not null and t.wake_at is not null;
  return query
    select r.id, r.ordinal, r.model, r.role, r.limits, r.queued_at, r.cancel_reason, r.message_id, m.content,
      t.workspace_id
    from runs r
    join threads t on t.id = r.thread_id
    left join messages m on m.id = r.message_id and r.status = 'queued' and r.cancel_requested_at is null
    where r.thread_id = p_thread and r.status in ('queued', 'running')
      and (r.status = 'running' or r.cancel_requested_at is not null or r.ordinal = (
        select min(n.ordinal) from runs n
        where n.thread_id = p_thread and n.status = 'queued' and n.cancel_requested_at is null))
    order by r.ordinal;
end $$;
