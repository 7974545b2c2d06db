-- A model said something. See append_with_changes.
create or replace function on_append_message(
  p_thread uuid, p_run uuid, p_seq integer, p_at timestamptz, p_id uuid, p_ordinal integer, p_content json
) returns boolean language plpgsql as $$
begin
  insert into messages (id, workspace_id, thread_id, run_id, ordinal, seq, role, content, created_at)
    values (p_id, (select t.workspace_id from threads t where t.id = p_thread), p_thread, p_run, p_ordinal, p_seq, 'assistant',
      p_content, p_at);
  return true;
end $$;
