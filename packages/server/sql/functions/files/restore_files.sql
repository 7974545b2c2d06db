-- Restores removed files, each under its own id with its last content. A file whose path is taken by now stays removed. The caller
-- holds the workspace's lock for new paths (4401).
-- Invariant: versions and changes commit together (L6).
create or replace function restore_files(p_workspace uuid, p_ids uuid[], p_author json)
returns table (outcome text, seq bigint, file files, also jsonb) language plpgsql as $$
declare
  v_file files;
  v_files files[] := '{}';
  v_also jsonb;
begin
  for v_file in
    select * from files f
    where f.id = any (p_ids) and f.workspace_id = p_workspace and f.removed_at is not null
      and not exists (
        select from files l where l.workspace_id = p_workspace and l.folded = f.folded and l.removed_at is null)
      and in_the_way(p_workspace, f.path, f.folded) is null
    order by f.folded for update
  loop
    update files f set version = f.version + 1, changed_at = clock_timestamp(), removed_at = null
      where f.id = v_file.id returning * into v_file;
    insert into file_versions (workspace_id, file_id, version, op, path, hash, size, chunks, is_text, author)
      select p_workspace, v.file_id, v.version + 1, 'restore', v.path, v.hash, v.size, v.chunks, v.is_text, p_author
      from file_versions v where v.file_id = v_file.id and v.version = v_file.version - 1;
    perform index_later(p_workspace, v_file.id, v_file.version, null);
    v_files := v_files || v_file;
  end loop;
  v_also := after_file_changes(p_workspace, p_ids, p_author);
  foreach file in array v_files loop
    outcome := 'written';
    seq := record_file_change('file_updated', file, p_author, null, 0, 0);
    also := case when file.id = v_files[cardinality(v_files)].id then v_also end;
    return next;
  end loop;
  perform record_changes(p_workspace, v_also, 0, 0);
end $$;
