-- Removes the live files with these ids, all at one time, which is their `removed_at`: restore_files finds them by it.
-- Invariant: versions and changes commit together (L6).
create or replace function remove_files(p_workspace uuid, p_ids uuid[], p_author json, p_at timestamptz)
returns table (outcome text, seq bigint, file files, also jsonb) language plpgsql as $$
declare
  v_file files;
  v_files files[] := '{}';
  v_also jsonb;
begin
  for v_file in select * from files f where f.id = any (p_ids) and f.workspace_id = p_workspace and f.removed_at is null
    order by f.folded for update
  loop
    update files f set version = f.version + 1, changed_at = p_at, removed_at = p_at
      where f.id = v_file.id returning * into v_file;
    insert into file_versions (workspace_id, file_id, version, op, path, hash, size, chunks, is_text, author)
      select p_workspace, v.file_id, v.version + 1, 'remove', v.path, v.hash, v.size, v.chunks, v.is_text, p_author
      from file_versions v where v.file_id = v_file.id and v.version = v_file.version - 1;
    perform index_later(p_workspace, v_file.id, v_file.version, null);
    v_files := v_files || v_file;
  end loop;
  v_also := after_file_changes(p_workspace, p_ids, p_author);
  foreach file in array v_files loop
    outcome := 'written';
    seq := record_file_change('file_removed', file, p_author, null, 0, 0);
    also := case when file.id = v_files[cardinality(v_files)].id then v_also end;
    return next;
  end loop;
  perform record_changes(p_workspace, v_also, 0, 0);
end $$;
