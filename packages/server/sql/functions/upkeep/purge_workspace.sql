-- Deletes a workspace that was removed before p_before, with its threads and everything else that belongs to it. Returns false
-- while a run is open there, or if the workspace was restored.
-- A concept adds its rows by a function on_purge_workspace_<concept>(p_workspace uuid), as for purge_thread.
create or replace function purge_workspace(p_workspace uuid, p_before timestamptz) returns boolean language plpgsql as $$
begin
  perform from workspaces where id = p_workspace and removed_at < p_before for update;
  if not found or exists (
    select from runs r join threads t on t.id = r.thread_id
    where t.workspace_id = p_workspace and r.status in ('queued', 'running')
  ) then
    return false;
  end if;
  perform purge_thread(t.id) from threads t where t.workspace_id = p_workspace;
  /* each on_purge_workspace_*: perform {function}(p_workspace); */
  perform delete_workspace(p_workspace);
  return true;
end $$;
