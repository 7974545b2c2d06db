-- What followers of the change feed are sent about a file's new version. p_from is the path that the file was moved from, or null.
create or replace function file_change(p_file files, p_author json, p_from text) returns json language sql stable as $$
  select json_strip_nulls(json_build_object('file', p_file.id, 'path', p_file.path, 'from', p_from, 'v', p_file.version,
    'kind', p_file.kind, 'size', p_file.size, 'hash', encode(p_file.hash, 'hex'), 'author', p_author))
$$;
