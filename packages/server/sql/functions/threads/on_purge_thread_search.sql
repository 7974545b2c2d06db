-- Takes a thread's messages out of the search index. See purge_thread.
create or replace function on_purge_thread_search(p_thread uuid) returns void language plpgsql as $$
declare
  v_scope uuid;
  v_messages uuid[];
begin
  select message_scope(t.workspace_id) into v_scope from threads t where t.id = p_thread;
  perform pg_advisory_xact_lock(4404, hashtext(v_scope::text));
  select array_agg(t.object_id) into v_messages
    from messages m join indexed_texts t on t.object_id = m.id where m.thread_id = p_thread;
  if v_messages is not null then
    perform index_texts(v_scope, v_messages, array_fill(null::text, array[cardinality(v_messages)]));
  end if;
end $$;
