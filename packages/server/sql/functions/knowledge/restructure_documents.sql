-- Brings the document structures in line with the paths of files that came, went or moved. Returns the JSON Patch of each structure
-- that changed, by the project's id. A document that stays below its parent keeps its position; others come last. The
-- children of a document that went are below the next one above it.
-- Invariant: every document is below the nearest document above it in the folders, so there is no cycle. To keep that true at each
-- step, documents are placed in the order of their depth, and taken out in the opposite order. Of siblings, the last one is taken
-- out first, so that those before it keep their positions.
create or replace function restructure_documents(p_workspace uuid, p_files uuid[]) returns jsonb language plpgsql as $$
declare
  v record;
  v_id uuid;
  v_gone uuid[];
  v_here uuid[];
  v_projects uuid[];
  v_parent uuid;
  v_operations jsonb;
  v_count bigint;
  -- `{project, operations}` of each step. An array, to which appending costs the same however long it is.
  v_steps jsonb[] := '{}';
begin
  select
      coalesce(array_agg(t.id order by cardinality(string_to_array(t.old_folded, '/')) desc, t.old_position desc)
        filter (where t.old_project_id is not null and t.project_id is distinct from t.old_project_id), '{}'),
      coalesce(array_agg(t.id) filter (where t.project_id is not null), '{}')
    into v_gone, v_here from document_targets(p_workspace, p_files) t
    where t.project_id is distinct from t.old_project_id or t.folded <> t.old_folded;
  if cardinality(v_gone) + cardinality(v_here) = 0 then
    return '{}';
  end if;
  select array_agg(distinct each) into v_projects
    from document_targets(p_workspace, v_gone || v_here) t, unnest(array[t.project_id, t.old_project_id]) each
    where each is not null;
  perform from projects p where p.id = any (v_projects) order by p.id for update;

  -- The paths first, so that each document finds its parent. A document that went has none: nothing is placed below it.
  update document_places d set folded = case when d.id = any (v_gone) then '' else f.folded end
    from files f where f.id = d.id and d.id = any (v_gone || v_here);

  -- If all that stands below what went went too, taking out the uppermost ones takes out the rest.
  if not exists (
    select from document_places d join unnest(v_gone) p on p = d.parent_id where not exists (select from unnest(v_gone) g where g = d.id))
  then
    delete from document_places d using unnest(v_gone) g, unnest(v_gone) p where d.id = g and d.parent_id = p;
    v_gone := array(
      select g from unnest(v_gone) with ordinality u (g, n) where exists (select from document_places d where d.id = g) order by n);
  end if;
  select sum(s.last - d.position + 1) into v_count
    from document_places d,
      lateral (select s.position as last from document_places s where s.parent_id = d.parent_id order by s.position desc limit 1) s
    where d.id in (select m.id from misplaced_documents(p_workspace, v_here || v_gone) m)
      and (d.folded = '' or d.parent_id <> parent_of_path(d.project_id, d.folded));
  if v_count > (select count(*) from document_places d where d.project_id = any (v_projects)) then
    return place_documents(p_workspace, v_projects, v_gone, v_here);
  end if;

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
    v_steps := array_append(v_steps, jsonb_build_object('project', v.project_id, 'operations', v_operations));
  end loop;

  for v in
    select a.* from misplaced_documents(p_workspace, v_here) a
    order by cardinality(string_to_array(a.folded, '/')), a.position nulls last, a.folded
  loop
    v_parent := parent_of_path(v.project_id, v.folded);
    continue when exists (select from document_places d where d.id = v.id and d.parent_id = v_parent);
    v_operations := place_document(v.id, v_parent, null, v.project_id, p_workspace, v.folded);
    v_steps := array_append(v_steps, jsonb_build_object('project', v.project_id, 'operations', v_operations));
  end loop;
  return (
    select coalesce(jsonb_object_agg(project, operations), '{}') from (
      select s.step ->> 'project' as project, jsonb_agg(o.operation order by s.n, o.n) as operations
      from unnest(v_steps) with ordinality s (step, n),
        jsonb_array_elements(s.step -> 'operations') with ordinality o (operation, n)
      group by 1) p);
end $$;
