-- The documents whose place may have to change because these files came, moved or went: for restructure_documents. `position` is null
-- if the document has no place so far.
create or replace function misplaced_documents(p_workspace uuid, p_files uuid[])
returns table (id uuid, project_id uuid, folded text, "position" integer) language sql stable as $$
  select t.id, t.project_id, t.folded, t.old_position from document_targets(p_workspace, p_files) t
  union
  -- The children of what moved, which may have stayed where they were.
  select d.id, d.project_id, d.folded, d.position from document_places d where d.parent_id = any (p_files)
  union
  -- What is in the folder of a document that came, and stood beside it so far.
  select c.id, c.project_id, c.folded, c.position
  from document_targets(p_workspace, p_files) t
  join document_places c on c.project_id = t.project_id
    and c.folded >= left(t.folded, -3) || '/' collate "C" and c.folded < left(t.folded, -3) || '0' collate "C"
    and not exists (
      select from document_places above
      where above.id = c.parent_id and starts_with(above.folded, left(t.folded, -3) || '/'))
$$;
