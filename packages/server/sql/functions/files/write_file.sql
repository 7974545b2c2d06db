-- Writes a file's next version, or creates the file. p_base is the version that the writer started from: 0 for a new file,
-- null for any. p_revive brings a removed file back under its own id. The content's chunks are stored already, except where
-- a content of one chunk comes along as p_held.
-- `outcome`: written, unchanged, conflict (the file is at another version), in_the_way (`obstacle` says what: see in_the_way).
-- CN003: a chunk of the content was swept meanwhile.
-- Invariants: a file's versions are numbered without a gap; the version, its content and its change commit together (L6).
create or replace function write_file(
  p_workspace uuid, p_file uuid, p_path text, p_folded text, p_kind text, p_base integer, p_op text, p_revive uuid,
  p_hash bytea, p_size bigint, p_chunks bytea[], p_is_text boolean, p_author json, p_quota bigint, p_held bytea,
  out outcome text, out obstacle text, out file files, out seq bigint, out also jsonb
) language plpgsql as $$
declare
  v_new boolean := false;
begin
  if is_read_only(p_folded) then
    outcome := 'in_the_way';
    obstacle := 'read_only:/chats';
    return;
  end if;
  -- A block of its own: while this waits for a file that moves away, it locks that file all the same, and must let it go
  -- before it waits for the workspace's lock, or the next mover and this one wait for each other.
  begin
    select * into file from files f
      where f.workspace_id = p_workspace and f.folded = p_folded and f.removed_at is null for update;
    if not found then
      raise exception 'no such file' using errcode = 'CN004';
    end if;
  exception when sqlstate 'CN004' then
    v_new := true;
  end;
  if v_new then
    -- New paths are given out one at a time.
    perform pg_advisory_xact_lock(4401, hashtext(p_workspace::text));
    select * into file from files f
      where f.workspace_id = p_workspace and f.folded = p_folded and f.removed_at is null for update;
    v_new := not found;
  end if;

  if v_new then
    if p_base > 0 and p_revive is null then
      outcome := 'conflict';
      return;
    end if;
    obstacle := in_the_way(p_workspace, p_path, p_folded);
    if obstacle is not null then
      outcome := 'in_the_way';
      return;
    end if;
  else
    if p_revive is not null or (p_base is not null and p_base <> file.version) then
      outcome := 'conflict';
      return;
    end if;
    if file.path <> p_path then
      outcome := 'in_the_way';
      obstacle := 'spelling:' || file.path;
      return;
    end if;
    if file.hash = p_hash and p_op = 'write' then
      outcome := 'unchanged';
      return;
    end if;
  end if;

  if p_held is not null then
    insert into chunks (hash, data, kept) values (p_hash, p_held, true)
      on conflict (hash) do update set kept = true where not chunks.kept;
  else
    update chunks set kept = true where hash = any (p_chunks) and not kept;
  end if;
  if p_held is null and (select count(*) from chunks where hash = any (p_chunks))
    <> (select count(distinct c) from unnest(p_chunks) c) then
    raise exception 'a chunk of the content is gone' using errcode = 'CN003';
  end if;

  if not v_new then
    update files f set version = f.version + 1, hash = p_hash, size = p_size, is_text = p_is_text,
        changed_at = clock_timestamp()
      where f.id = file.id returning * into file;
  elsif p_revive is not null then
    update files f set version = f.version + 1, path = p_path, folded = p_folded, kind = p_kind, hash = p_hash,
        size = p_size, is_text = p_is_text, changed_at = clock_timestamp(), removed_at = null
      where f.id = p_revive and f.workspace_id = p_workspace and f.removed_at is not null returning * into file;
    if not found then
      outcome := 'conflict';
      return;
    end if;
  else
    insert into files (id, workspace_id, path, folded, kind, version, hash, size, is_text)
      values (p_file, p_workspace, p_path, p_folded, p_kind, 1, p_hash, p_size, p_is_text)
      returning * into file;
  end if;
  insert into file_versions (workspace_id, file_id, version, op, path, hash, size, chunks, is_text, author)
    values (p_workspace, file.id, file.version, p_op, p_path, p_hash, p_size, p_chunks, p_is_text, p_author);
  insert into unindexed (workspace_id, object_id, version) values (p_workspace, file.id, file.version);
  outcome := 'written';
  also := after_file_changes(p_workspace, array[file.id], p_author);
  if also = '[]' then
    seq := record_file_change('file_updated', file, p_author, null, p_size, p_quota);
  else
    seq := record_changes(p_workspace, jsonb_build_array(jsonb_build_object('type', 'file_updated', 'object_id', file.id,
      'data', file_change(file, p_author, null))) || also, p_size, p_quota) - jsonb_array_length(also);
  end if;
end $$;
