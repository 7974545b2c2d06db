-- Appends a batch of events, and changes the rows that those events speak of, all in the caller's transaction.
-- Returns the threads that were released. Each change names its kind:
--   start     a run starts                 {run, seq, at}
--   end       a run ends                   {run, seq, at, status, error, usage, cost, steers, asked}
--   message   a model said something       {id, thread, run, ordinal, seq, content, at}
--   steered   a run took in a message      {id, seq}
--   session   a session changed its state  {id, thread, state, reason, at}
--   approval  a run asks a person          {id, workspace, thread, run, call, tool, subkind, content, paths, reason, at, expires_at}
--   title     a thread got its title       {thread, title}
--   release   the owner releases a thread  {thread, attempt, wake_at}; ignored if the thread has an open run or was woken
-- JSON inside a change (content, error, usage, paths) is passed as text: json_to_recordset refuses NUL and lone surrogates.
--
-- Invariants: the primary key of events is the fence, so a former owner's insert fails here (L3). Events and rows commit
-- together (L6). A run starts once; a run whose cancellation was accepted can only end canceled; a run that was sent
-- messages must take them in before it ends by itself (L4). A violation raises CN001, which undoes the whole append.
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
      insert into messages (id, workspace_id, thread_id, run_id, ordinal, seq, role, content, created_at)
        values (v.id, (select t.workspace_id from threads t where t.id = v.thread), v.thread, v.run, v.ordinal, v.seq, 'assistant', v.content::json, v.at);
    when 'steered' then
      update messages set seq = v.seq where id = v.id;
    when 'session' then
      insert into sessions (id, workspace_id, thread_id, state, reason, started_at, changed_at)
        values (v.id, (select t.workspace_id from threads t where t.id = v.thread), v.thread, v.state, v.reason, v.at, v.at)
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
