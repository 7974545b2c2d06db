-- Makes a project's documents equal to its files, which may have changed while the project was removed. Adds the changes to the feed
-- and returns them. The caller holds the workspace's lock for new paths (4401).
create or replace function refresh_documents(p_workspace uuid, p_project uuid, p_author json) returns jsonb language plpgsql as $$
declare
  v_files uuid[];
  v_changes jsonb;
begin
  select array_agg(id) into v_files from (
    select d.id from document_places d where d.project_id = p_project
    union
    select f.id from projects p join files f on f.workspace_id = p.workspace_id and f.removed_at is null
      and f.folded >= p.folded || '/docs/' collate "C" and f.folded < p.folded || '/docs0' collate "C"
      where p.id = p_project
  ) f;
  v_changes := after_file_changes(p_workspace, coalesce(v_files, '{}'), p_author);
  perform record_changes(p_workspace, v_changes, 0, 0);
  return v_changes;
end $$;
