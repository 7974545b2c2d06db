-- Deletes a workspace with its change feed. The last step of purge_workspace.
create or replace function delete_workspace(p_workspace uuid) returns void language plpgsql as $$
begin
  perform set_config('continuo.purging', 'on', true);
  delete from changes where workspace_id = p_workspace;
  perform set_config('continuo.purging', 'off', true);
  delete from workspaces where id = p_workspace;
end $$;
