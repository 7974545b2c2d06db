-- Chats are listed by when somebody last said something in them.

alter table threads add column active_at timestamptz not null default clock_timestamp();

update threads t set active_at = coalesce((select max(r.queued_at) from runs r where r.thread_id = t.id), t.created_at);

create index threads_active on threads (workspace_id, active_at desc, id desc);

-- Stores a person's message and queues its run, and lets the caller's pod claim the thread in the same
-- transaction if nobody owns it. A function, not one statement: after waiting for the thread's
-- lock each statement must see what was committed meanwhile.
-- What happens to a thread that is busy is `p_policy`: enqueue, reject (CN409), interrupt (open runs are canceled), rollback (and
-- the history forgets the one that had begun) or steer (the message goes to the run that has begun: `steered`). A message that
-- `p_replaces` another rewinds to the run which that one began, whatever the policy (CN422 if it began none, or was taken back).
-- CN429: 100 wait already.
-- Runs are locked before approvals, and both before their thread, as by who appends.
-- `blocked_by` is the last open run before this one. Who claimed is also told where the log ends and what the message
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
  v_steers integer;
begin
  if p_policy = 'steer' and p_replaces is null then
    update runs r set steers = r.steers + 1
      where r.thread_id = p_thread and r.status = 'running' and r.cancel_requested_at is null
      returning r.id, r.ordinal, r.queued_at, r.steers into steered, ordinal, queued_at, v_steers;
  elsif p_policy in ('interrupt', 'rollback') or p_replaces is not null then
    if p_replaces is not null then
      -- It may have been answered more than once; only the last answer can still be part of the history.
      select r.id into v_rewinds from (
          select a.id, a.rewound from messages m join runs a on a.thread_id = p_thread and a.message_id = m.id
          where m.id = p_replaces and m.thread_id = p_thread and m.role = 'user' and m.seq = 0
          order by a.ordinal desc limit 1) r
        where not r.rewound;
      if not found then
        raise exception 'no such message' using errcode = 'CN422';
      end if;
    elsif p_policy = 'rollback' then
      select r.id into v_rewinds from runs r where r.thread_id = p_thread and r.status = 'running';
    end if;
    perform from runs r where r.thread_id = p_thread and r.status in ('queued', 'running') order by r.ordinal for update;
    update runs r set cancel_requested_at = clock_timestamp(),
        cancel_reason = case when v_rewinds is null then 'interrupted' else 'rolled_back' end
      where r.thread_id = p_thread and r.status in ('queued', 'running') and r.cancel_requested_at is null;
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
