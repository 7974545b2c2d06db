-- Removes the live files with these ids, all at one time, which is their `removed_at`: restore_files finds them by it.
-- Invariant: versions and changes commit together (L6).
create or replace function remove_files(p_workspace uuid, p_ids uuid[], p_author json, p_at timestamptz)
returns table (outcome text, seq bigint, file files, also jsonb) language plpgsql as $$
declare
  v_files files[] := '{}';
begin
  for file in select * from files f where f.id = any (p_ids) and f.workspace_id = p_workspace and f.removed_at is null
    order by f.folded for update
  loop
    update files f set version = f.version + 1, changed_at = p_at, removed_at = p_at where f.id = file.id returning * into file;
    perform copy_version(file, 'remove', p_author);
    v_files := v_files || file;
  end loop;
  return query select * from record_file_changes(p_workspace, 'file_removed', v_files, p_author, null);
end $$;
