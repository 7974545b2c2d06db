-- A model was sent a request. See append_with_changes.
create or replace function on_append_manifest(
  p_thread uuid, p_run uuid, p_seq integer, p_at timestamptz, p_workspace uuid, p_try integer, p_answer text, p_purpose text,
  p_model text, p_hash text, p_parts text, p_history json, p_feed_seq bigint
) returns boolean language plpgsql as $$
begin
  insert into context_manifests (
      thread_id, seq, try, workspace_id, run_id, message, purpose, model, hash, parts, history, feed_seq, at
    ) values (
      p_thread, p_seq, p_try, p_workspace, p_run, p_answer, p_purpose, p_model, decode(p_hash, 'hex'), decode(p_parts, 'hex'),
      p_history, p_feed_seq, p_at
    );
  return true;
end $$;
