-- The owner releases a thread until p_wake_at. Has no effect if the thread has an open run or was woken. See append_with_changes.
create or replace function on_append_release(p_thread uuid, p_attempt integer, p_wake_at timestamptz)
returns boolean language plpgsql as $$
begin
  update threads t set owner = null, wake_at = p_wake_at
    where t.id = p_thread and t.attempt = p_attempt and t.owner is not null and t.wake_at is null
      and not exists (select from runs r where r.thread_id = p_thread and r.status in ('queued', 'running'));
  return found;
end $$;
