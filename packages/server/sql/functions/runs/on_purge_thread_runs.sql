-- Deletes a thread's runs with their approvals. See purge_thread.
create or replace function on_purge_thread_runs(p_thread uuid) returns void language plpgsql as $$
begin
  delete from approvals where thread_id = p_thread;
  delete from runs where thread_id = p_thread;
end $$;
