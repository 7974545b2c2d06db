-- Takes a document without children out of its project's structure, and returns the JSON Patch. The caller has locked the project's row.
create or replace function displace_document(p_id uuid) returns jsonb language plpgsql as $$
declare
  v_old document_places;
  v_from text := document_pointer(p_id);
begin
  delete from document_places d where d.id = p_id returning * into v_old;
  update document_places d set position = d.position - 1
    where d.parent_id = v_old.parent_id and d.position > v_old.position;
  return jsonb_build_array(jsonb_build_object('op', 'remove', 'path', v_from))
    || order_operations(v_old.parent_id, v_old.project_id, v_old.position, 2147483647);
end $$;
