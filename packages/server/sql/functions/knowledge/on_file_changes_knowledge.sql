-- Takes part in every change of files: see documents_changed. Returns the changes for the feed.
create or replace function on_file_changes_knowledge(p_workspace uuid, p_files uuid[], p_author json) returns jsonb language plpgsql as $$
begin
  -- Most writes change one file that is no document. By its id alone, because a plan for an array is made anew for each write.
  if cardinality(p_files) = 1 then
    perform from files f where f.id = p_files[1]
      and (f.folded like '/projects/%.md' or exists (select from document_places d where d.id = p_files[1]));
  else
    perform from files f left join document_places d on d.id = f.id
      where f.id = any (p_files) and (f.folded like '/projects/%.md' or d.id is not null);
  end if;
  if not found then
    return '[]';
  end if;
  return documents_changed(p_workspace, p_files, p_author);
end $$;
