-- Makes an empty file at a free path. The caller holds the workspace's lock for new paths (4401), and adds the change to the feed.
create or replace function add_empty_file(p_workspace uuid, p_path text, p_folded text, p_author json)
returns files language plpgsql as $$
declare
  v_file files;
begin
  insert into files (id, workspace_id, path, folded, kind, version, hash, size, is_text)
    values (gen_random_uuid(), p_workspace, p_path, p_folded, 'file', 1, sha256(''), 0, true)
    returning * into v_file;
  insert into file_versions (workspace_id, file_id, version, op, path, hash, size, chunks, is_text, author)
    values (p_workspace, v_file.id, 1, 'write', p_path, v_file.hash, 0, '{}', true, p_author);
  perform index_later(p_workspace, v_file.id, 1, null);
  return v_file;
end $$;
