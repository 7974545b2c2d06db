-- Deletes the texts and the token ratios of a workspace. Its manifests go with their threads. See purge_workspace.
create or replace function on_purge_workspace_context(p_workspace uuid) returns void language plpgsql as $$
begin
  delete from context_texts where workspace_id = p_workspace;
  delete from token_ratios where workspace_id = p_workspace;
end $$;
