-- Moves the live files of a folder, all or none: each p_ids[i] to p_paths[i]. While they move, they are no obstacles to each
-- other. The caller holds the workspace's advisory lock (4401). CN409: the message is the obstacle, or `gone` if a file was
-- removed meanwhile.
-- Invariant: files keep their ids; versions and changes commit together (L6).
create or replace function move_files(
  p_workspace uuid, p_ids uuid[], p_paths text[], p_folded text[], p_kinds text[], p_author json
) returns table (outcome text, seq bigint, file files, also jsonb) language plpgsql as $$
declare
  v_from text[];
  v_files files[] := '{}';
  v_obstacle text;
begin
  perform from files f where f.id = any (p_ids) order by f.folded for update;
  select array_agg(f.path order by u.n) into v_from
    from unnest(p_ids) with ordinality u (id, n)
    join files f on f.id = u.id and f.workspace_id = p_workspace and f.removed_at is null;
  if cardinality(v_from) is distinct from cardinality(p_ids) then
    raise exception 'gone' using errcode = 'CN409';
  end if;
  update files f set removed_at = clock_timestamp() where f.id = any (p_ids);
  for i in 1 .. cardinality(p_ids) loop
    select 'file:' || f.path into v_obstacle from files f
      where f.workspace_id = p_workspace and f.folded = p_folded[i] and f.removed_at is null;
    v_obstacle := coalesce(v_obstacle, in_the_way(p_workspace, p_paths[i], p_folded[i]));
    if v_obstacle is not null then
      raise exception '%', v_obstacle using errcode = 'CN409';
    end if;
    update files f set path = p_paths[i], folded = p_folded[i], kind = p_kinds[i], version = f.version + 1,
        changed_at = clock_timestamp(), removed_at = null
      where f.id = p_ids[i] returning * into file;
    perform copy_version(file, 'move', p_author);
    v_files := v_files || file;
  end loop;
  return query select * from record_file_changes(p_workspace, 'file_moved', v_files, p_author, v_from);
end $$;
