-- Stores a person's message and queues its run. If no pod owns the thread, p_pod claims it in the same transaction.
-- p_principal is the one that asks: the sender of the message, or the one that asks for the retry.
-- p_directive says what decides about the run's steps; null: its role's model.
-- p_policy says what happens if the thread is busy:
--   enqueue    the run waits behind the others
--   reject     CN409; the detail is the run that blocks
--   interrupt  open runs are canceled
--   rollback   open runs are canceled, and the history forgets the run that had started
--   steer      the message goes to the run that has started: `steered`
-- A message that replaces another (p_replaces) rewinds to that message: open runs from there on are canceled, and p_policy
-- applies to earlier ones. CN422: no run was queued for the replaced message, or it was rewound already.
-- If the thread has a focus, that is the scope of a message that names none.
-- CN404: no such thread. CN429: 100 runs or messages wait already.
-- `blocked_by` is the last open run before this one. A pod that claimed the thread also gets `log_seq`, where the log ends, and
-- the message's content: if nothing blocks the run, these are all the facts.
--
-- Invariants: a thread's runs are numbered without a gap. Runs are locked before approvals, and both before their thread, as
-- an append does. This is a function and not one statement, because each statement must see what was committed
-- while it waited for the thread's lock.
create or replace function enqueue_run(
  p_thread uuid, p_run uuid, p_message uuid, p_content json, p_model text, p_role text, p_limits json,
  p_retry_of uuid, p_pod uuid, p_policy text, p_replaces uuid, p_principal json, p_directive json default null,
  out owner uuid, out claimed_attempt integer, out workspace_id uuid, out ordinal integer,
  out queued_at timestamptz, out blocked_by uuid, out log_seq integer, out content json, out steered uuid,
  out title_wanted boolean
) language plpgsql as $$
declare
  v_thread threads%rowtype;
  v_rewinds uuid;
  v_from integer;
  v_steers integer;
  v_content json := p_content;
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
    update runs r set cancel_requested_at = clock_timestamp(), cancel_requested_by = p_principal,
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
  if v_thread.focus is not null and p_retry_of is null then
    -- Joined as text: Postgres cannot look into JSON with NUL or lone surrogates, which messages may have.
    if readable(p_content) -> 'scope' is null then
      v_content := (left(rtrim(p_content::text), -1) || ',"scope":' || v_thread.focus::text || '}')::json;
    end if;
    update threads t set focus = null where t.id = p_thread;
  end if;
  if steered is not null then
    if (select count(*) from messages m
        where m.thread_id = p_thread and m.ordinal = enqueue_run.ordinal and m.seq >= 2000000000) >= 100 then
      raise exception 'too many messages wait' using errcode = 'CN429';
    end if;
    -- At the end of its run, in order, until the run takes it in.
    insert into messages (id, workspace_id, thread_id, run_id, ordinal, seq, role, content, principal)
      values (p_message, v_thread.workspace_id, p_thread, steered, enqueue_run.ordinal, 2000000000 + v_steers, 'user', v_content,
        p_principal);
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
  insert into runs as r (id, workspace_id, thread_id, ordinal, message_id, retry_of, model, role, limits, rewinds, principal,
      directive)
    values (p_run, v_thread.workspace_id, p_thread,
      coalesce((select max(o.ordinal) from runs o where o.thread_id = p_thread), 0) + 1,
      p_message, p_retry_of, p_model, p_role, p_limits, v_rewinds, p_principal, p_directive)
    returning r.ordinal, r.queued_at into ordinal, queued_at;
  if p_retry_of is null then
    insert into messages (id, workspace_id, thread_id, run_id, ordinal, seq, role, content, principal)
      values (p_message, v_thread.workspace_id, p_thread, p_run, enqueue_run.ordinal, 0, 'user', v_content, p_principal);
  end if;
  if v_thread.owner is null and p_pod is not null then
    update threads t set owner = p_pod, attempt = t.attempt + 1, wake_at = null, active_at = clock_timestamp()
      where t.id = p_thread
      returning t.owner, t.attempt into owner, claimed_attempt;
    if v_rewinds is null and v_thread.stop_requested_at is null and cardinality(v_thread.state_edits) = 0 then
      select coalesce(max(e.seq), 0) into log_seq from events e where e.thread_id = p_thread;
    end if;
    content := v_content;
    if p_retry_of is not null then
      select m.content into content from messages m where m.id = p_message;
    end if;
  else
    update threads t set wake_at = least(t.wake_at, clock_timestamp()), active_at = clock_timestamp() where t.id = p_thread;
    owner := v_thread.owner;
  end if;
end $$;
