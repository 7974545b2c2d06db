-- What the end of a run means to its family: its open children are canceled, and its parent, which waits for it, is woken.
-- Invariants: no child goes on after its parent's end. Runs are locked before their threads.
create or replace function end_family(p_run uuid, p_parent uuid, p_reason text) returns void language plpgsql as $$
declare
  v_threads uuid[];
begin
  with asked as (
    update runs c set reported = true,
        cancel_reason = case when c.status in ('queued', 'running') and c.cancel_requested_at is null then p_reason else c.cancel_reason end,
        cancel_requested_at = case when c.status in ('queued', 'running') then coalesce(c.cancel_requested_at, clock_timestamp())
          else c.cancel_requested_at end
      where c.parent_run = p_run and not c.reported
      returning c.thread_id, c.status)
  select array_agg(thread_id) into v_threads from asked where status in ('queued', 'running');
  if v_threads is not null then
    update threads t set wake_at = least(t.wake_at, clock_timestamp()) where t.id = any (v_threads);
  end if;
  if p_parent is not null then
    update threads t set wake_at = least(t.wake_at, clock_timestamp())
      where t.id = (select r.thread_id from runs r where r.id = p_parent and r.status = 'running');
  end if;
end $$;
