-- Requests that a thread stops: cancels its open runs and asks its owner to end the session. `asked` is false if there is
-- neither an open run nor a live session. p_principal is the one that asks; null for the server itself.
-- Invariant: runs are locked before their thread.
create or replace function stop_thread(
  p_thread uuid, p_reason text, p_principal json, out asked boolean, out owner uuid, out session text
) language plpgsql as $$
declare
  v_canceled integer;
begin
  perform from runs r where r.thread_id = p_thread and r.status in ('queued', 'running') order by r.ordinal for no key update;
  update runs r set cancel_requested_at = clock_timestamp(), cancel_reason = p_reason, cancel_requested_by = p_principal
    where r.thread_id = p_thread and r.status in ('queued', 'running') and r.cancel_requested_at is null;
  get diagnostics v_canceled = row_count;
  perform from threads t where t.id = p_thread for no key update;
  select s.state into session from sessions s where s.thread_id = p_thread order by s.started_at desc, s.id desc limit 1;
  asked := v_canceled > 0 or session in ('idle', 'running', 'paused')
    or exists (select from runs r where r.thread_id = p_thread and r.status in ('queued', 'running'));
  if asked then
    update threads t set stop_requested_at = clock_timestamp(), stop_requested_by = p_principal,
        wake_at = least(t.wake_at, clock_timestamp())
      where t.id = p_thread returning t.owner into owner;
  end if;
end $$;
