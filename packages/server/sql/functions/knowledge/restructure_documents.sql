-- Brings the document structures in line with the paths of files that came, went or moved. Returns the JSON Patch of each structure
-- that changed, by the project's id. A document that stays below its parent keeps its position; others come last. The
-- children of a document that went are below the next one above it.
-- Invariant: every document is below the nearest document above it in the folders, so there is no cycle. To keep that true at each
-- step, documents are placed in the order of their depth.
create or replace function restructure_documents(p_workspace uuid, p_files uuid[]) returns jsonb language plpgsql as $$
declare
  v record;
  v_id uuid;
  v_gone uuid[];
  v_here uuid[];
  v_projects uuid[];
  v_parent uuid;
  v_patches jsonb := '{}';
  v_operations jsonb;
begin
  select
      coalesce(array_agg(t.id order by length(t.old_folded) desc)
        filter (where t.old_project_id is not null and t.project_id is distinct from t.old_project_id), '{}'),
      coalesce(array_agg(t.id) filter (where t.project_id is not null), '{}')
    into v_gone, v_here from document_targets(p_workspace, p_files) t
    where t.project_id is distinct from t.old_project_id or t.folded <> t.old_folded;
  if cardinality(v_gone) + cardinality(v_here) = 0 then
    return v_patches;
  end if;
  select array_agg(distinct each) into v_projects
    from document_targets(p_workspace, v_gone || v_here) t, unnest(array[t.project_id, t.old_project_id]) each
    where each is not null;
  perform from projects p where p.id = any (v_projects) order by p.id for update;

  -- The paths first, so that each document finds its parent. A document that went has none: nothing is placed below it.
  update document_places d set folded = case when d.id = any (v_gone) then '' else f.folded end
    from files f where f.id = d.id and d.id = any (v_gone || v_here);

  foreach v_id in array v_gone loop
    select d.project_id into v from document_places d where d.id = v_id;
    v_operations := '[]';
    declare
      v_child record;
    begin
      for v_child in select d.id, d.folded from document_places d where d.parent_id = v_id order by d.position loop
        v_operations := v_operations || place_document(v_child.id, parent_of_path(v.project_id, v_child.folded), null,
          v.project_id, p_workspace, v_child.folded);
      end loop;
    end;
    v_operations := v_operations || displace_document(v_id);
    v_patches := v_patches || jsonb_build_object(v.project_id, coalesce(v_patches -> v.project_id::text, '[]') || v_operations);
  end loop;

  for v in
    select a.* from (
      select t.id, t.project_id, t.folded, t.old_position as position from document_targets(p_workspace, v_here) t
      union
      -- The children of what moved, which may have stayed where they were.
      select d.id, d.project_id, d.folded, d.position from document_places d where d.parent_id = any (v_here)
      union
      -- What is in the folder of a document that came, and stood beside it so far.
      select c.id, c.project_id, c.folded, c.position
      from document_targets(p_workspace, v_here) t
      join document_places c on c.project_id = t.project_id
        and c.folded >= left(t.folded, -3) || '/' collate "C" and c.folded < left(t.folded, -3) || '0' collate "C"
        and not exists (
          select from document_places above
          where above.id = c.parent_id and starts_with(above.folded, left(t.folded, -3) || '/'))
    ) a order by cardinality(string_to_array(a.folded, '/')), a.position nulls last, a.folded
  loop
    v_parent := parent_of_path(v.project_id, v.folded);
    continue when exists (select from document_places d where d.id = v.id and d.parent_id = v_parent);
    v_operations := place_document(v.id, v_parent, null, v.project_id, p_workspace, v.folded);
    v_patches := v_patches || jsonb_build_object(v.project_id, coalesce(v_patches -> v.project_id::text, '[]') || v_operations);
  end loop;
  return v_patches;
end $$;
