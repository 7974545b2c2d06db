-- Deletes a thread with everything that belongs to it. The only way to delete events.
-- Invariant: a log is deleted as a whole or not at all (L2). Notes and snapshots go with their thread, by their foreign keys.
create or replace function purge_thread(p_thread uuid) returns void language plpgsql as $$
begin
  perform set_config('continuo.purging', 'on', true);
  delete from events where thread_id = p_thread;
  perform set_config('continuo.purging', 'off', true);
  delete from approvals where thread_id = p_thread;
  delete from messages where thread_id = p_thread;
  delete from sessions where thread_id = p_thread;
  delete from runs where thread_id = p_thread;
  delete from threads where id = p_thread;
end $$;
