-- Deletes a thread's events. See purge_thread.
create or replace function on_purge_thread_log(p_thread uuid) returns void language plpgsql as $$
begin
  perform set_config('continuo.purging', 'on', true);
  delete from events where thread_id = p_thread;
  perform set_config('continuo.purging', 'off', true);
end $$;
