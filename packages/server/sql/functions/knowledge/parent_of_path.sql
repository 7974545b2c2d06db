-- The document that a file at a path stands below: the nearest one above it in the folders, or the project. The children of
-- /projects/x/docs/a.md are in /projects/x/docs/a/.
create or replace function parent_of_path(p_project uuid, p_folded text) returns uuid language sql stable as $$
  select coalesce((
    select d.id from document_places d
    where d.project_id = p_project and d.folded = any (array(
      select array_to_string((string_to_array(p_folded, '/'))[1:n], '/') || '.md'
      from generate_series(5, cardinality(string_to_array(p_folded, '/')) - 1) n))
    order by length(d.folded) desc limit 1), p_project)
$$;
