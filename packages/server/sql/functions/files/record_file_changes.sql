-- Adds the new versions of several files to the change feed, and after them what other concepts add. p_from are the paths that the files
-- were moved from, or null. Returns what the caller is told about each file.
create or replace function record_file_changes(p_workspace uuid, p_type text, p_files files[], p_author json, p_from text[])
returns table (outcome text, seq bigint, file files, also jsonb) language plpgsql as $$
declare
  v_also jsonb := after_file_changes(p_workspace, array(select f.id from unnest(p_files) f), p_author);
begin
  outcome := 'written';
  for i in 1 .. cardinality(p_files) loop
    file := p_files[i];
    seq := record_file_change(p_type, file, p_author, p_from[i], 0, 0);
    also := case when i = cardinality(p_files) then v_also end;
    return next;
  end loop;
  perform record_changes(p_workspace, v_also, 0, 0);
end $$;
