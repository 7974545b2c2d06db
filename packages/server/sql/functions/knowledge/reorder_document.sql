-- Puts a document below a parent at a position, and returns the change of the structure for the feed; null if there is none. If the
-- parent is another one, the caller moves the file there in the same transaction. The caller has locked the file.
-- CN420: the parent is not in the structure any more; the message is its id.
create or replace function reorder_document(p_id uuid, p_parent uuid, p_position integer, p_author json)
returns jsonb language plpgsql as $$
declare
  v document_places;
  v_patch jsonb;
begin
  perform from projects p join document_places d on d.project_id = p.id where d.id = p_id for update of p;
  select * into v from document_places d where d.id = p_id;
  if p_parent <> v.project_id and not exists (
    select from document_places d where d.id = p_parent and d.project_id = v.project_id
  ) then
    raise exception '%', p_parent using errcode = 'CN420';
  end if;
  v_patch := place_document(p_id, p_parent, p_position, v.project_id, v.workspace_id, v.folded);
  return case when v_patch <> '[]' then structure_patch(v.project_id, v_patch, p_author) end;
end $$;
