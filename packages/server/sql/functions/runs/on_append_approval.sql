-- A run asks a person for approval. See append_with_changes.
-- A concept adds to it by a function on_approval_asked_<concept>(p_approval uuid, p_workspace uuid).
create or replace function on_append_approval(
  p_thread uuid, p_run uuid, p_at timestamptz, p_id uuid, p_workspace uuid, p_call text, p_tool text, p_subkind text,
  p_input json, p_paths json, p_reason text, p_expires_at timestamptz
) returns boolean language plpgsql as $$
begin
  insert into approvals (id, workspace_id, thread_id, run_id, call, tool, kind, input, paths, reason, asked_at, expires_at)
    values (p_id, p_workspace, p_thread, p_run, p_call, p_tool, p_subkind, p_input, p_paths, p_reason, p_at, p_expires_at);
  /* each on_approval_asked_*: perform {function}(p_id, p_workspace); */
  return true;
end $$;
