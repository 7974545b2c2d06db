-- Adds a file's new version to the change feed and returns its seq. p_from is the path that the file was moved from, or null.
-- See record_change, which comes last in every function that changes a file.
create or replace function record_file_change(
  p_type text, p_file files, p_author json, p_from text, p_bytes bigint, p_quota bigint
) returns bigint language plpgsql as $$
begin
  return record_change(p_file.workspace_id, p_type, p_file.id, file_change(p_file, p_author, p_from), p_bytes, p_quota);
end $$;
