-- What documents_changed does most often, in few statements: adds one new document, below a parent that is there, with none below it.
-- Returns the changes for the feed; null if the change of the file is another one, and nothing is done.
-- Locks: the project.
create or replace function add_document(p_workspace uuid, p_file uuid, p_author json) returns jsonb language plpgsql as $$
declare
  v_file files;
  v_project uuid;
  v_folder text;
  v_parent uuid;
begin
  select * into v_file from files f where f.id = p_file and f.version = 1 and f.removed_at is null and f.folded like '%.md';
  select p.id, p.folded || '/docs' into v_project, v_folder
    from projects p join entities e on e.id = p.id and e.removed_at is null
    where p.workspace_id = p_workspace and p.folded = array_to_string((string_to_array(v_file.folded, '/'))[1:3], '/')
      and starts_with(v_file.folded, p.folded || '/docs/')
    for update of p;
  if not found then
    return null;
  end if;
  v_parent := v_project;
  if v_folder <> substring(v_file.folded from '^(.*)/') then
    select d.id into v_parent from document_places d
      where d.project_id = v_project and d.folded = substring(v_file.folded from '^(.*)/') || '.md';
  end if;
  v_folder := left(v_file.folded, -3);
  if v_parent is null or exists (
    select from document_places d where d.project_id = v_project
      and (d.folded >= v_folder || '/' collate "C" and d.folded < v_folder || '0' collate "C"))
  then
    return null;
  end if;
  return jsonb_build_array(update_file_entity(v_file, 'document', true, v_project, p_author))
    || structure_patch(v_project, place_document(p_file, v_parent, null, v_project, p_workspace, v_file.folded), p_author);
end $$;
