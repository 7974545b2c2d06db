-- Restores removed files, each under its own id with its last content. A file whose path is taken by now stays removed. The caller
-- holds the workspace's lock for new paths (4401).
-- Invariant: versions and changes commit together (L6).
create or replace function restore_files(p_workspace uuid, p_ids uuid[], p_author json)
returns table (outcome text, seq bigint, file files, also jsonb) language plpgsql as $$
declare
  v_files files[] := '{}';
begin
  for file in
    select * from files f
    where f.id = any (p_ids) and f.workspace_id = p_workspace and f.removed_at is not null
      and not exists (
        select from files l where l.workspace_id = p_workspace and l.folded = f.folded and l.removed_at is null)
      and in_the_way(p_workspace, f.path, f.folded) is null
    order by f.folded for update
  loop
    update files f set version = f.version + 1, changed_at = clock_timestamp(), removed_at = null
      where f.id = file.id returning * into file;
    perform copy_version(file, 'restore', p_author);
    v_files := v_files || file;
  end loop;
  return query select * from record_file_changes(p_workspace, 'file_updated', v_files, p_author, null);
end $$;
