-- Deletes a chat that was removed before p_before, with the chats that its runs opened. Returns false while a run is open or a pod owns the thread: the
-- cancellation is under way.
create or replace function purge_chat(p_thread uuid, p_before timestamptz) returns boolean language plpgsql as $$
begin
  perform from threads t where t.id = p_thread and t.removed_at < p_before and t.owner is null for update;
  if not found or exists (
    select from runs r where r.status in ('queued', 'running')
      and (r.thread_id = p_thread or r.thread_id in (select d.thread from descendant_threads(p_thread) d))
  ) then
    return false;
  end if;
  perform purge_thread(d.thread) from descendant_threads(p_thread) d;
  perform purge_thread(p_thread);
  return true;
end $$;
