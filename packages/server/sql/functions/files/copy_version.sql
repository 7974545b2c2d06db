-- Adds the next version of a file whose content stays the same: it was moved, removed or restored (p_op). p_file is the file's new row.
create or replace function copy_version(p_file files, p_op text, p_author json) returns boolean language plpgsql as $$
begin
  insert into file_versions (workspace_id, file_id, version, op, path, hash, size, chunks, is_text, author)
    select p_file.workspace_id, p_file.id, p_file.version, p_op, p_file.path, v.hash, v.size, v.chunks, v.is_text, p_author
    from file_versions v where v.file_id = p_file.id and v.version = p_file.version - 1;
  -- The words of its name are in the index, too.
  return index_later(p_file.workspace_id, p_file.id, p_file.version, null);
end $$;
