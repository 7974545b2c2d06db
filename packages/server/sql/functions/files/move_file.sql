-- Moves a file to another path, as a new version. p_from is the case-folded path; p_base is the version that the caller saw,
-- null for any. `outcome`: written, unchanged, not_found, conflict, in_the_way (`obstacle` says what: see in_the_way).
-- Invariant: the file keeps its id; the version and its change commit together (L6).
create or replace function move_file(
  p_workspace uuid, p_from text, p_path text, p_folded text, p_kind text, p_base integer, p_author json,
  out outcome text, out obstacle text, out file files, out seq bigint, out also jsonb
) language plpgsql as $$
declare
  v_from text;
begin
  if is_read_only(p_folded) then
    outcome := 'in_the_way';
    obstacle := 'read_only:/chats';
    return;
  end if;
  perform pg_advisory_xact_lock(4401, hashtext(p_workspace::text));
  select * into file from files f
    where f.workspace_id = p_workspace and f.folded = p_from and f.removed_at is null for update;
  if not found then
    outcome := 'not_found';
    return;
  end if;
  if p_base is not null and p_base <> file.version then
    outcome := 'conflict';
    return;
  end if;
  if file.path = p_path then
    outcome := 'unchanged';
    return;
  end if;
  v_from := file.path;
  -- While it moves, the file itself is not in the way.
  update files f set removed_at = clock_timestamp() where f.id = file.id;
  select 'file:' || f.path into obstacle from files f
    where f.workspace_id = p_workspace and f.folded = p_folded and f.removed_at is null;
  obstacle := coalesce(obstacle, in_the_way(p_workspace, p_path, p_folded));
  if obstacle is not null then
    update files f set removed_at = null where f.id = file.id;
    outcome := 'in_the_way';
    return;
  end if;
  update files f set path = p_path, folded = p_folded, kind = p_kind, version = f.version + 1,
      changed_at = clock_timestamp(), removed_at = null
    where f.id = file.id returning * into file;
  perform copy_version(file, 'move', p_author);
  outcome := 'written';
  also := after_file_changes(p_workspace, array[file.id], p_author);
  seq := record_file_change('file_moved', file, p_author, v_from, 0, 0);
  perform record_changes(p_workspace, also, 0, 0);
end $$;
