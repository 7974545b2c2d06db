-- Files with identity and history, and the workspace's change feed.

-- `change_seq` numbers the changes; `bytes` counts the content of all versions. A removed workspace is purged after its grace period.
alter table workspaces
  add column change_seq bigint not null default 0,
  add column bytes bigint not null default 0,
  add column removed_at timestamptz;
alter table workspaces drop constraint workspaces_name_key;
create unique index workspaces_name on workspaces (name) where removed_at is null;

-- Content by hash, stored once. A version's transaction keeps its chunks; what no version kept is swept.
create table chunks (
  hash bytea primary key,
  data bytea not null,
  kept boolean not null default false,
  touched_at timestamptz not null default clock_timestamp()
) with (fillfactor = 90);

create index chunks_loose on chunks (touched_at) where not kept;

-- `folded` is the path as it is compared: no two live files differ only by case. Folders are the beginnings of paths.
create table files (
  id uuid primary key,
  workspace_id uuid not null references workspaces (id),
  path text collate "C" not null,
  folded text collate "C" not null,
  kind text not null check (kind in ('file', 'agent', 'plan')),
  version integer not null,
  hash bytea not null,
  size bigint not null,
  is_text boolean not null,
  created_at timestamptz not null default clock_timestamp(),
  changed_at timestamptz not null default clock_timestamp(),
  removed_at timestamptz
) with (fillfactor = 80);

create unique index files_live on files (workspace_id, folded) where removed_at is null;
create index files_removed on files (workspace_id, folded, removed_at) where removed_at is not null;

-- What a file was: one row for each write, move, removal and restoration, each complete in itself. Only the functions
-- below write these rows and those of the feed, next to what they refer to: no key is checked again.
create table file_versions (
  file_id uuid not null,
  version integer not null,
  op text not null check (op in ('write', 'move', 'remove', 'restore')),
  path text not null,
  hash bytea not null,
  size bigint not null,
  chunks bytea[] not null,
  is_text boolean not null,
  author json not null,
  at timestamptz not null default clock_timestamp(),
  primary key (file_id, version)
);

create trigger file_versions_immutable before update or delete or truncate on file_versions
  for each statement execute function refuse_change();

-- What a live text file says, for search.
create table file_words (
  file_id uuid primary key references files (id),
  words tsvector not null
);

create index file_words_search on file_words using gin (words);

-- The change feed. Many write: the seq comes from the workspace's row, locked as the last statement of the transaction.
create table changes (
  workspace_id uuid not null,
  seq bigint not null,
  type text not null,
  file_id uuid not null,
  data json not null,
  at timestamptz not null default clock_timestamp(),
  primary key (workspace_id, seq)
);

create trigger changes_append_only before update or delete or truncate on changes
  for each statement execute function refuse_change();

-- A change of a file, and its place in the feed: the last statement of every function below.
create function note_change(
  p_workspace uuid, p_type text, p_file files, p_author json, p_from text, p_bytes bigint, p_quota bigint
) returns bigint language plpgsql as $$
declare
  v_seq bigint;
  v_bytes bigint;
begin
  update workspaces set change_seq = change_seq + 1, bytes = bytes + p_bytes
    where id = p_workspace and removed_at is null
    returning change_seq, bytes into v_seq, v_bytes;
  if not found then
    raise exception 'no such workspace' using errcode = 'CN404';
  end if;
  if p_bytes > 0 and v_bytes > p_quota then
    raise exception 'the workspace holds % bytes of its %', v_bytes - p_bytes, p_quota using errcode = 'CN413';
  end if;
  insert into changes (workspace_id, seq, type, file_id, data) values (p_workspace, v_seq, p_type, p_file.id,
    json_strip_nulls(json_build_object('file', p_file.id, 'path', p_file.path, 'from', p_from, 'v', p_file.version,
      'kind', p_file.kind, 'size', p_file.size, 'hash', encode(p_file.hash, 'hex'), 'author', p_author)));
  return v_seq;
end $$;

-- What is under /chats is made from threads, and no file of its own.
create function is_read_only(p_folded text) returns boolean language sql immutable as $$
  select p_folded = '/chats' or starts_with(p_folded, '/chats/')
$$;

-- What stands in the way of a new file: a file where it wants a folder, a folder where it wants to be,
-- or a folder of the same name in another spelling. Null if nothing does. The caller holds the workspace's lock.
create function in_the_way(p_workspace uuid, p_path text, p_folded text) returns text language plpgsql stable as $$
declare
  v_names text[] := string_to_array(p_path, '/');
  v_folded text[] := string_to_array(p_folded, '/');
  v_folder text collate "C";
  v_found text;
begin
  select f.path into v_found from files f
    where f.workspace_id = p_workspace and f.removed_at is null
      and f.folded >= p_folded || '/' collate "C" and f.folded < p_folded || '0' collate "C" limit 1;
  if found then
    return 'folder:' || array_to_string((string_to_array(v_found, '/'))[1:cardinality(v_names)], '/');
  end if;
  for depth in reverse cardinality(v_names) - 1 .. 2 loop
    v_folder := array_to_string(v_folded[1:depth], '/');
    select f.path into v_found from files f
      where f.workspace_id = p_workspace and f.removed_at is null and f.folded = v_folder;
    if found then
      return 'file:' || v_found;
    end if;
    select f.path into v_found from files f
      where f.workspace_id = p_workspace and f.removed_at is null
        and f.folded >= v_folder || '/' collate "C" and f.folded < v_folder || '0' collate "C" limit 1;
    if found then
      v_found := array_to_string((string_to_array(v_found, '/'))[1:depth], '/');
      if v_found <> array_to_string(v_names[1:depth], '/') then
        return 'spelling:' || v_found;
      end if;
      -- A folder that is there was checked when it came.
      return null;
    end if;
  end loop;
  return null;
end $$;

-- Writes a file's next version, or its first. `p_base` is the version that the writer started from: 0 for none, null for any.
-- A content of one chunk may come with its version, as `p_held`; others are stored before.
-- `p_revive` brings a removed file back under its own id. `p_words` is what search finds it by; null if it is not text.
create function write_file(
  p_workspace uuid, p_file uuid, p_path text, p_folded text, p_kind text, p_base integer, p_op text, p_revive uuid,
  p_hash bytea, p_size bigint, p_chunks bytea[], p_words text, p_author json, p_quota bigint, p_held bytea,
  out outcome text, out obstacle text, out file files, out seq bigint
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
    update files f set version = f.version + 1, hash = p_hash, size = p_size, is_text = p_words is not null,
        changed_at = clock_timestamp()
      where f.id = file.id returning * into file;
  elsif p_revive is not null then
    update files f set version = f.version + 1, path = p_path, folded = p_folded, kind = p_kind, hash = p_hash,
        size = p_size, is_text = p_words is not null, changed_at = clock_timestamp(), removed_at = null
      where f.id = p_revive and f.workspace_id = p_workspace and f.removed_at is not null returning * into file;
    if not found then
      outcome := 'conflict';
      return;
    end if;
  else
    insert into files (id, workspace_id, path, folded, kind, version, hash, size, is_text)
      values (p_file, p_workspace, p_path, p_folded, p_kind, 1, p_hash, p_size, p_words is not null)
      returning * into file;
  end if;
  insert into file_versions (file_id, version, op, path, hash, size, chunks, is_text, author)
    values (file.id, file.version, p_op, p_path, p_hash, p_size, p_chunks, p_words is not null, p_author);
  if p_words is null then
    delete from file_words where file_id = file.id;
  else
    insert into file_words (file_id, words) values (file.id, to_tsvector('simple', p_words))
      on conflict (file_id) do update set words = excluded.words;
  end if;
  outcome := 'written';
  seq := note_change(p_workspace, 'file_updated', file, p_author, null, p_size, p_quota);
end $$;

create function move_file(
  p_workspace uuid, p_from text, p_path text, p_folded text, p_kind text, p_base integer, p_author json,
  out outcome text, out obstacle text, out file files, out seq bigint
) language plpgsql as $$
declare
  v_from text;
begin
  if is_read_only(p_folded) then
    outcome := 'in_the_way';
    obstacle := 'read_only:/chats';
    return;
  end if;
  perform pg_advisory_xact_lock(4401, hashtext(p_workspace::text));
  select * into file from files f
    where f.workspace_id = p_workspace and f.folded = p_from and f.removed_at is null for update;
  if not found then
    outcome := 'not_found';
    return;
  end if;
  if p_base is not null and p_base <> file.version then
    outcome := 'conflict';
    return;
  end if;
  if file.path = p_path then
    outcome := 'unchanged';
    return;
  end if;
  v_from := file.path;
  -- While it moves, the file itself is not in the way.
  update files f set removed_at = clock_timestamp() where f.id = file.id;
  select 'file:' || f.path into obstacle from files f
    where f.workspace_id = p_workspace and f.folded = p_folded and f.removed_at is null;
  obstacle := coalesce(obstacle, in_the_way(p_workspace, p_path, p_folded));
  if obstacle is not null then
    update files f set removed_at = null where f.id = file.id;
    outcome := 'in_the_way';
    return;
  end if;
  update files f set path = p_path, folded = p_folded, kind = p_kind, version = f.version + 1,
      changed_at = clock_timestamp(), removed_at = null
    where f.id = file.id returning * into file;
  insert into file_versions (file_id, version, op, path, hash, size, chunks, is_text, author)
    select file.id, file.version, 'move', p_path, hash, size, chunks, is_text, p_author
    from file_versions where file_id = file.id and version = file.version - 1;
  outcome := 'written';
  seq := note_change(p_workspace, 'file_moved', file, p_author, v_from, 0, 0);
end $$;

create function remove_file(
  p_workspace uuid, p_folded text, p_base integer, p_author json,
  out outcome text, out file files, out seq bigint
) language plpgsql as $$
begin
  select * into file from files f
    where f.workspace_id = p_workspace and f.folded = p_folded and f.removed_at is null for update;
  if not found then
    outcome := 'not_found';
    return;
  end if;
  if p_base is not null and p_base <> file.version then
    outcome := 'conflict';
    return;
  end if;
  update files f set version = f.version + 1, changed_at = clock_timestamp(), removed_at = clock_timestamp()
    where f.id = file.id returning * into file;
  insert into file_versions (file_id, version, op, path, hash, size, chunks, is_text, author)
    select file.id, file.version, 'remove', path, hash, size, chunks, is_text, p_author
    from file_versions where file_id = file.id and version = file.version - 1;
  delete from file_words where file_id = file.id;
  outcome := 'written';
  seq := note_change(p_workspace, 'file_removed', file, p_author, null, 0, 0);
end $$;

-- Moves the live files of a folder, all or none: each to the path beside its id. While they move, they are not in each
-- other's way. The caller holds the workspace's lock; CN409 says what was in the way, or that a file was gone.
create function move_files(
  p_workspace uuid, p_ids uuid[], p_paths text[], p_folded text[], p_kinds text[], p_author json
) returns table (outcome text, seq bigint, file files) language plpgsql as $$
declare
  v_from text[];
  v_obstacle text;
begin
  perform from files f where f.id = any (p_ids) order by f.folded for update;
  select array_agg(f.path order by u.n) into v_from
    from unnest(p_ids) with ordinality u (id, n)
    join files f on f.id = u.id and f.workspace_id = p_workspace and f.removed_at is null;
  if cardinality(v_from) is distinct from cardinality(p_ids) then
    raise exception 'gone' using errcode = 'CN409';
  end if;
  update files f set removed_at = clock_timestamp() where f.id = any (p_ids);
  for i in 1 .. cardinality(p_ids) loop
    select 'file:' || f.path into v_obstacle from files f
      where f.workspace_id = p_workspace and f.folded = p_folded[i] and f.removed_at is null;
    v_obstacle := coalesce(v_obstacle, in_the_way(p_workspace, p_paths[i], p_folded[i]));
    if v_obstacle is not null then
      raise exception '%', v_obstacle using errcode = 'CN409';
    end if;
    update files f set path = p_paths[i], folded = p_folded[i], kind = p_kinds[i], version = f.version + 1,
        changed_at = clock_timestamp(), removed_at = null
      where f.id = p_ids[i] returning * into file;
    insert into file_versions (file_id, version, op, path, hash, size, chunks, is_text, author)
      select v.file_id, v.version + 1, 'move', p_paths[i], v.hash, v.size, v.chunks, v.is_text, p_author
      from file_versions v where v.file_id = p_ids[i] and v.version = file.version - 1;
    outcome := 'written';
    seq := note_change(p_workspace, 'file_moved', file, p_author, v_from[i], 0, 0);
    return next;
  end loop;
end $$;

-- A removed workspace takes no new message.
create function refuse_removed() returns trigger language plpgsql as $$
begin
  perform from threads t join workspaces w on w.id = t.workspace_id
    where t.id = new.thread_id and w.removed_at is not null;
  if found then
    raise exception 'the workspace is removed' using errcode = 'CN410';
  end if;
  return new;
end $$;

create trigger runs_not_in_removed before insert on runs for each row execute function refuse_removed();

-- Deletes a workspace that was removed before `p_before`, with its threads and its files. False while a run is still
-- open there, or if it was brought back. Content that is left without a version is swept like any other.
create function purge_workspace(p_workspace uuid, p_before timestamptz) returns boolean language plpgsql as $$
declare
  v_chunks bytea[];
begin
  perform from workspaces where id = p_workspace and removed_at < p_before for update;
  if not found or exists (
    select from runs r join threads t on t.id = r.thread_id
    where t.workspace_id = p_workspace and r.status in ('queued', 'running')
  ) then
    return false;
  end if;
  perform purge_thread(t.id) from threads t where t.workspace_id = p_workspace;
  select array_agg(distinct c) into v_chunks
    from files f join file_versions v on v.file_id = f.id cross join unnest(v.chunks) c
    where f.workspace_id = p_workspace;
  perform set_config('continuo.purging', 'on', true);
  delete from changes where workspace_id = p_workspace;
  delete from file_versions v using files f where f.id = v.file_id and f.workspace_id = p_workspace;
  perform set_config('continuo.purging', 'off', true);
  delete from file_words w using files f where f.id = w.file_id and f.workspace_id = p_workspace;
  delete from files where workspace_id = p_workspace;
  update chunks set kept = false, touched_at = clock_timestamp() where hash = any (v_chunks);
  delete from idempotency_keys where workspace_id = p_workspace;
  delete from workspaces where id = p_workspace;
  return true;
end $$;

-- A chat's file is found by the end of its thread's id, whatever its name says.
create index threads_short on threads (workspace_id, right(id::text, 12));
