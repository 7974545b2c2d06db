-- Moves the message of a queued run to the run that has started, and cancels the queued one. The message keeps its id and files.
-- `outcome`: steered (also by an earlier request), not_waiting, nothing_at_work, queue_full (100 messages wait already).
-- A retry's message belongs to an earlier run and cannot be moved: not_waiting.
-- Invariant: the message is neither lost nor said twice. Runs are locked before their thread.
create or replace function steer_queued(
  p_run uuid, p_principal json, out outcome text, out steered uuid, out owner uuid
) language plpgsql as $$
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
  update runs r set cancel_requested_at = clock_timestamp(), cancel_reason = 'steered', cancel_requested_by = p_principal,
      steered_into = steered
    where r.id = p_run;
  update threads t set wake_at = least(t.wake_at, clock_timestamp()) where t.id = v_thread returning t.owner into owner;
  outcome := 'steered';
end $$;
