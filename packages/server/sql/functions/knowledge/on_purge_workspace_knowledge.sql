-- Deletes a workspace's entities with their versions, edges, projects and document structure. See purge_workspace.
create or replace function on_purge_workspace_knowledge(p_workspace uuid) returns void language plpgsql as $$
begin
  delete from parentless_documents where workspace_id = p_workspace;
  delete from document_places where workspace_id = p_workspace;
  delete from projects where workspace_id = p_workspace;
  delete from edges where workspace_id = p_workspace;
  delete from entity_versions where workspace_id = p_workspace;
  delete from entities where workspace_id = p_workspace;
end $$;
