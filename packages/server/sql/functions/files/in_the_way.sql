-- Says what prevents a new file at a path, or null: `folder:<path>`, a folder has that path; `file:<path>`, a file has the path
-- of one of its folders; `spelling:<path>`, one of its folders exists in another case.
-- Invariant: no path is both a file and a folder, and no two live paths differ only by case. The caller holds the workspace's
-- advisory lock (4401), so that the answer stays true until its commit.
create or replace function in_the_way(p_workspace uuid, p_path text, p_folded text) returns text language plpgsql stable as $$
declare
  v_names text[] := string_to_array(p_path, '/');
  v_folded text[] := string_to_array(p_folded, '/');
  v_folder text collate "C";
  v_found text;
begin
  select f.path into v_found from files f
    where f.workspace_id = p_workspace and f.removed_at is null
      and f.folded >= p_folded || '/' collate "C" and f.folded < p_folded || '0' collate "C" limit 1;
  if found then
    return 'folder:' || array_to_string((string_to_array(v_found, '/'))[1:cardinality(v_names)], '/');
  end if;
  for depth in reverse cardinality(v_names) - 1 .. 2 loop
    v_folder := array_to_string(v_folded[1:depth], '/');
    select f.path into v_found from files f
      where f.workspace_id = p_workspace and f.removed_at is null and f.folded = v_folder;
    if found then
      return 'file:' || v_found;
    end if;
    select f.path into v_found from files f
      where f.workspace_id = p_workspace and f.removed_at is null
        and f.folded >= v_folder || '/' collate "C" and f.folded < v_folder || '0' collate "C" limit 1;
    if found then
      v_found := array_to_string((string_to_array(v_found, '/'))[1:depth], '/');
      if v_found <> array_to_string(v_names[1:depth], '/') then
        return 'spelling:' || v_found;
      end if;
      -- A folder that is there was checked when it came.
      return null;
    end if;
  end loop;
  return null;
end $$;
