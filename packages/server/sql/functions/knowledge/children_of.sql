-- The documents below a document, or below a project's root, as nodes of the structure.
create or replace function children_of(p_parent uuid) returns jsonb language plpgsql stable as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'order', d.position, 'children', children_of(d.id)) order by d.position), '[]')
    from document_places d where d.parent_id = p_parent);
end $$;
