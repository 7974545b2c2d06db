-- A run that is paused or resumed pauses or resumes its open children. See append_with_changes.
-- Invariant: runs are locked before their threads.
create or replace function on_append_pause_children(p_run uuid, p_at timestamptz, p_paused boolean) returns boolean language plpgsql as $$
declare
  v_threads uuid[];
begin
  with asked as (
    update runs c set pause_requested_at = case when p_paused then coalesce(c.pause_requested_at, p_at) end
      where c.parent_run = p_run and not c.reported and c.status in ('queued', 'running') and c.cancel_requested_at is null
      returning c.thread_id)
  select array_agg(thread_id) into v_threads from asked;
  update threads t set wake_at = least(t.wake_at, clock_timestamp()) where t.id = any (v_threads);
  return v_threads is not null;
end $$;
