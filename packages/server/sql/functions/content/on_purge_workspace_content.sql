-- Deletes what a workspace has published and scheduled. See purge_workspace.
create or replace function on_purge_workspace_content(p_workspace uuid) returns void language plpgsql as $$
begin
  delete from scheduled_publications where workspace_id = p_workspace;
  delete from publications where workspace_id = p_workspace;
  delete from published where workspace_id = p_workspace;
end $$;
