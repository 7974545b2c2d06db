-- Deletes a thread's manifests, and the texts that were made from its log. See purge_thread.
create or replace function on_purge_thread_context(p_thread uuid) returns void language plpgsql as $$
begin
  delete from context_manifests where thread_id = p_thread;
  delete from context_texts where owner_id = p_thread;
end $$;
