-- Makes the documents equal to the files that have just changed: their entities (title, description, path, version and length of the
-- content) and the structures that they are in. Runs in the transaction of every write, move, removal and restoration of files, on
-- whichever way it comes. Returns the changes for the feed.
-- Plans are kept: for arrays of ids, Postgres would make a new plan each time, which costs more than what is planned.
-- Invariant: a document and its place commit together with its file (L6). Locks: the files are locked by the caller; then the
-- entities by id, the projects by id, and last, by the caller, the workspace.
create or replace function documents_changed(p_workspace uuid, p_files uuid[], p_author json) returns jsonb language plpgsql
set plan_cache_mode to force_generic_plan as $$
declare
  v_files uuid[] := p_files;
  v_new uuid[];
  v_depth integer;
  v_changes jsonb := '[]';
  v_patches jsonb;
  v record;
begin
  if cardinality(p_files) = 1 and p_author ->> 'kind' <> 'disk' then
    v_changes := add_document(p_workspace, p_files[1], p_author);
    if v_changes is not null then
      return v_changes;
    end if;
    v_changes := '[]';
  end if;
  select array_agg(t.id), max(t.depth) into v_new, v_depth from document_targets(p_workspace, p_files) t
    where t.project_id is not null and t.folded is distinct from t.old_folded;
  if v_new is not null and p_author ->> 'kind' = 'disk' then
    insert into parentless_documents (workspace_id, id)
      select p_workspace, id from unnest(v_new) id on conflict do nothing;
  elsif v_depth > 5 then
    -- /projects/x/docs/a.md has five names, the empty one at its start included, and nothing is missing above it.
    select added || p_files, changes into v_files, v_changes from add_missing_parents(p_workspace, v_new, p_author);
  end if;
  perform from entities e where e.id = any (v_files) order by e.id for update;
  select v_changes || coalesce(jsonb_agg(c.change order by f.folded), '[]') into v_changes
    from document_targets(p_workspace, v_files) t join files f on f.id = t.id,
      lateral (select update_file_entity(f, 'document', t.project_id is not null, t.project_id, p_author) as change offset 0) c
    where c.change is not null;
  v_patches := restructure_documents(p_workspace, v_files);
  for v in select key::uuid as project_id, value as patch from jsonb_each(v_patches) where value <> '[]' order by key loop
    v_changes := v_changes || structure_patch(v.project_id, v.patch, p_author);
  end loop;
  return v_changes;
end $$;
