-- Adds an empty document to each folder of documents from disk that still has none of its own. Returns how many were added. Deferred,
-- because files come from disk one by one, and a folder's document may come after what is in the folder.
create or replace function complete_folders(p_workspace uuid) returns integer language plpgsql as $$
declare
  v_author constant json := '{"kind": "disk"}';
  v_ids uuid[];
  v_added uuid[];
  v_changes jsonb;
begin
  if not exists (select from parentless_documents d where d.workspace_id = p_workspace) then
    return 0;
  end if;
  perform pg_advisory_xact_lock(4401, hashtext(p_workspace::text));
  with due as (delete from parentless_documents d where d.workspace_id = p_workspace returning d.id)
    select array_agg(due.id) into v_ids from due;
  select added, changes into v_added, v_changes from add_missing_parents(p_workspace, v_ids, v_author);
  v_changes := v_changes || after_file_changes(p_workspace, v_added, v_author);
  delete from parentless_documents d where d.id = any (v_added);
  perform record_changes(p_workspace, v_changes, 0, 0);
  return cardinality(v_added);
end $$;
