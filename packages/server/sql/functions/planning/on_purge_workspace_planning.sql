-- Deletes a workspace's plans with their steps. See purge_workspace.
create or replace function on_purge_workspace_planning(p_workspace uuid) returns void language plpgsql as $$
begin
  delete from plan_steps where workspace_id = p_workspace;
  delete from plans where workspace_id = p_workspace;
end $$;
