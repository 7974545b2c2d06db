-- What restructure_documents does for many documents at once: takes p_gone out of the structures and gives every document of p_projects
-- its place anew. Returns the JSON Patch of each structure, by the project's id: its whole root, because the operations one by one would
-- be more. The paths of document_places are those of the files already. The caller has locked the projects' rows.
-- Invariant: as of restructure_documents.
create or replace function place_documents(p_workspace uuid, p_projects uuid[], p_gone uuid[], p_here uuid[])
returns jsonb language plpgsql as $$
declare
  v_end constant integer := 2147483647;
begin
  delete from document_places d where d.id = any (p_gone);
  -- A new one is below itself until it has a parent, so that it stayed below none.
  insert into document_places (id, workspace_id, project_id, parent_id, position, folded)
    select t.id, p_workspace, t.project_id, t.id, v_end, t.folded from document_targets(p_workspace, p_here) t
    where not exists (select from document_places d where d.id = t.id);
  update document_places d set parent_id = n.parent_id, position = n.position
    from (
      select p.id, p.parent_id, row_number() over (partition by p.parent_id
          order by p.came, case when p.came then cardinality(string_to_array(p.folded, '/')) end, p.position, p.folded) - 1 as position
      from (
        select o.*, o.parent_id <> o.old_parent_id as came
        from (
          select d.id, d.parent_id as old_parent_id, d.position, d.folded, parent_of_path(d.project_id, d.folded) as parent_id
          from document_places d where d.project_id = any (p_projects)) o) p) n
    where d.id = n.id and (d.parent_id <> n.parent_id or d.position <> n.position);
  return (
    select jsonb_object_agg(p, jsonb_build_array(jsonb_build_object('op', 'replace', 'path', '/root', 'value', children_of(p))))
    from unnest(p_projects) p);
end $$;
