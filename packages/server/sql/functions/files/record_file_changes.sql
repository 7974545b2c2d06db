-- Adds the new versions of several files to the change feed, and after them what other concepts add. p_from are the paths that the files
-- were moved from, or null. Returns what the caller is told about each file. All at once, because a row of the workspace that is
-- updated for each file has, until the commit, as many versions to go through.
create or replace function record_file_changes(p_workspace uuid, p_type text, p_files files[], p_author json, p_from text[])
returns table (outcome text, seq bigint, file files, also jsonb) language plpgsql as $$
declare
  v_count integer := cardinality(p_files);
  v_also jsonb := after_file_changes(p_workspace, array(select f.id from unnest(p_files) f), p_author);
  v_changes jsonb[] := '{}';
begin
  outcome := 'written';
  for i in 1 .. v_count loop
    v_changes := array_append(v_changes, jsonb_build_object('type', p_type, 'object_id', p_files[i].id,
      'data', file_change(p_files[i], p_author, p_from[i])));
  end loop;
  seq := record_changes(p_workspace, to_jsonb(v_changes) || v_also, 0, 0) - jsonb_array_length(v_also) - v_count;
  for i in 1 .. v_count loop
    file := p_files[i];
    seq := seq + 1;
    also := case when i = v_count then v_also end;
    return next;
  end loop;
end $$;
