-- Deletes a thread with its messages and sessions. The last step of purge_thread.
create or replace function delete_thread(p_thread uuid) returns void language plpgsql as $$
begin
  delete from messages where thread_id = p_thread;
  delete from sessions where thread_id = p_thread;
  delete from threads where id = p_thread;
end $$;
