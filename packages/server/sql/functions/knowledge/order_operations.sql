-- JSON Patch operations that set the order of the children of a document (or of a project's root) from one position to another.
create or replace function order_operations(p_parent uuid, p_project uuid, p_first integer, p_last integer)
returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(jsonb_build_object(
      'op', 'replace', 'path', c.pointer || '/' || d.position || '/order', 'value', d.position) order by d.position), '[]')
  from document_places d, (select children_pointer(p_parent, p_project) as pointer offset 0) c
  where d.parent_id = p_parent and d.position between p_first and p_last
$$;
