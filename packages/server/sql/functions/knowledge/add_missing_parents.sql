-- Makes an empty document for each folder above a document that has none of the same name, so that the folder's documents have a
-- parent. Returns the new files and their changes for the feed. The caller holds the workspace's lock for new paths (4401).
create or replace function add_missing_parents(
  p_workspace uuid, p_files uuid[], p_author json, out added uuid[], out changes jsonb
) language plpgsql as $$
declare
  v record;
  v_file files;
begin
  added := '{}';
  changes := '[]';
  for v in
    select distinct on (a.folded) a.path, a.folded
    -- By the ids first, whatever the planner knows about the table.
    from (select * from files f where f.id = any (p_files) offset 0) f
    join projects p on p.workspace_id = p_workspace and starts_with(f.folded, p.folded || '/docs/'),
      lateral (
        select array_to_string((string_to_array(f.path, '/'))[1:n], '/') || '.md' as path,
          array_to_string((string_to_array(f.folded, '/'))[1:n], '/') || '.md' as folded
        from generate_series(5, cardinality(string_to_array(f.folded, '/')) - 1) n) a
    where f.removed_at is null and f.folded like '%.md'
      and not exists (
        select from files b where b.workspace_id = p_workspace and b.folded = a.folded and b.removed_at is null)
    order by a.folded
  loop
    continue when in_the_way(p_workspace, v.path, v.folded) is not null;
    v_file := add_empty_file(p_workspace, v.path, v.folded, p_author);
    added := added || v_file.id;
    changes := changes || jsonb_build_object('type', 'file_updated', 'object_id', v_file.id,
      'data', file_change(v_file, p_author, null));
  end loop;
end $$;
