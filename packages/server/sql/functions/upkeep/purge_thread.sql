-- Deletes a thread with everything that belongs to it. The only way to delete events.
-- A concept adds its rows by a function on_purge_thread_<concept>(p_thread uuid). The functions are called in no particular order,
-- so rows that refer to another concept's rows do so with `on delete cascade`. Notes and snapshots go with their thread that way.
-- Invariant: a log is deleted as a whole or not at all (L2).
create or replace function purge_thread(p_thread uuid) returns void language plpgsql as $$
begin
  /* each on_purge_thread_*: perform {function}(p_thread); */
  perform delete_thread(p_thread);
end $$;
