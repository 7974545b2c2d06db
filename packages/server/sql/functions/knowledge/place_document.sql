-- Puts a document below a parent of its project, at a position (null or too large: the end), and returns the JSON Patch of the
-- structure. A document that has a place in the project keeps its children. The caller has locked the project's row.
-- Invariant: the positions of siblings have no gap and no repeat.
create or replace function place_document(
  p_id uuid, p_parent uuid, p_position integer, p_project uuid, p_workspace uuid, p_folded text
) returns jsonb language plpgsql as $$
declare
  v_old document_places;
  v_from text;
  v_count integer;
  v_at integer;
  v_end constant integer := 2147483647;
  v_operations jsonb;
begin
  select * into v_old from document_places d where d.id = p_id;
  -- Positions have no gap: the last one tells how many there are.
  select d.position + 1 into v_count from document_places d where d.parent_id = p_parent order by d.position desc limit 1;
  v_count := coalesce(v_count, 0) - (v_old.parent_id is not distinct from p_parent)::integer;
  v_at := least(coalesce(p_position, v_count), v_count);
  if v_old.id is null then
    if v_at < v_count then
      update document_places d set position = d.position + 1 where d.parent_id = p_parent and d.position >= v_at;
    end if;
    insert into document_places (id, workspace_id, project_id, parent_id, position, folded)
      values (p_id, p_workspace, p_project, p_parent, v_at, p_folded);
    return jsonb_build_array(jsonb_build_object('op', 'add',
        'path', case when p_parent = p_project then '/root/' || v_at else document_pointer(p_id) end,
        'value', jsonb_build_object('id', p_id, 'order', v_at, 'children', '[]'::jsonb)))
      || case when v_at < v_count then order_operations(p_parent, p_project, v_at + 1, v_end) else '[]' end;
  end if;
  if v_old.parent_id = p_parent and v_old.position = v_at then
    return '[]';
  end if;
  v_from := document_pointer(p_id);
  update document_places d set position = d.position - 1
    where d.parent_id = v_old.parent_id and d.position > v_old.position;
  update document_places d set position = d.position + 1
    where d.parent_id = p_parent and d.position >= v_at and d.id <> p_id;
  update document_places d set parent_id = p_parent, position = v_at where d.id = p_id;
  v_operations := jsonb_build_array(jsonb_build_object('op', 'move', 'from', v_from, 'path', document_pointer(p_id)));
  if v_old.parent_id = p_parent then
    return v_operations
      || order_operations(p_parent, p_project, least(v_at, v_old.position), greatest(v_at, v_old.position));
  end if;
  return v_operations
    || order_operations(v_old.parent_id, p_project, v_old.position, v_end)
    || order_operations(p_parent, p_project, v_at, v_end);
end $$;
