-- The list of children of a document, or of a project's root, as a JSON Pointer into the structure.
create or replace function children_pointer(p_parent uuid, p_project uuid) returns text language sql stable as $$
  select case when p_parent = p_project then '/root' else document_pointer(p_parent) || '/children' end
$$;
