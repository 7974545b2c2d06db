-- Takes part in every change of files: see documents_changed and plans_changed. Returns the changes for the feed.
create or replace function on_file_changes_knowledge(p_workspace uuid, p_files uuid[], p_author json) returns jsonb language plpgsql as $$
declare
  v_documents boolean;
  v_plans boolean;
  v_is_new boolean := false;
  v_changes jsonb := '[]';
begin
  -- Most writes change one file that is no entity. By its id alone, because a plan for an array is made anew for each write.
  if cardinality(p_files) = 1 then
    select f.folded like '/projects/%.md' or exists (select from document_places d where d.id = f.id),
        f.kind = 'plan' or f.folded like '%.md' or exists (select from entities e where e.id = f.id and e.kind = 'plan'),
        f.version = 1
      into v_documents, v_plans, v_is_new from files f where f.id = p_files[1];
  else
    select bool_or(f.folded like '/projects/%.md' or d.id is not null),
        bool_or(f.kind = 'plan' or f.folded like '%.md' or e.kind = 'plan')
      into v_documents, v_plans
      from files f left join document_places d on d.id = f.id left join entities e on e.id = f.id
      where f.id = any (p_files);
  end if;
  -- A new file has no entity yet.
  if v_plans and not v_is_new then
    -- Before the documents, which lock projects.
    perform from entities e where e.id = any (p_files) order by e.id for update;
  end if;
  if v_documents then
    v_changes := documents_changed(p_workspace, p_files, p_author);
  end if;
  -- A single file that is a document now is no plan. The patch of a new document says that it is one, and no query has to.
  if v_plans and not (v_is_new and v_changes #>> '{0,data,entity_type}' is not distinct from 'document')
    and (cardinality(p_files) > 1 or not exists (select from document_places d where d.id = p_files[1])) then
    v_changes := v_changes || plans_changed(p_workspace, p_files, p_author);
  end if;
  return v_changes;
end $$;
