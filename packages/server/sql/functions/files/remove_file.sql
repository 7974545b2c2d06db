-- Removes a file: its last version says so, and its history stays. p_base is the version that the caller saw, null for any.
-- `outcome`: written, not_found, conflict.
-- Invariant: the version and its change commit together (L6).
create or replace function remove_file(
  p_workspace uuid, p_folded text, p_base integer, p_author json,
  out outcome text, out file files, out seq bigint, out also jsonb
) language plpgsql as $$
begin
  select * into file from files f
    where f.workspace_id = p_workspace and f.folded = p_folded and f.removed_at is null for update;
  if not found then
    outcome := 'not_found';
    return;
  end if;
  if p_base is not null and p_base <> file.version then
    outcome := 'conflict';
    return;
  end if;
  update files f set version = f.version + 1, changed_at = clock_timestamp(), removed_at = clock_timestamp()
    where f.id = file.id returning * into file;
  perform copy_version(file, 'remove', p_author);
  outcome := 'written';
  also := after_file_changes(p_workspace, array[file.id], p_author);
  seq := record_file_change('file_removed', file, p_author, null, 0, 0);
  perform record_changes(p_workspace, also, 0, 0);
end $$;
