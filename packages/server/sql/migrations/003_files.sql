-- Files with identity and history, their content, and the search index.

-- Content, stored once for each hash. A version marks its chunks as kept in its own transaction; the sweep deletes chunks that no
-- version kept.
create table chunks (
  hash bytea primary key,
  data bytea not null,
  kept boolean not null default false,
  touched_at timestamptz not null default clock_timestamp()
) with (fillfactor = 90);

create index chunks_loose on chunks (touched_at) where not kept;

-- A file as it is now. `folded` is the case-folded path: no two live files differ only by case. A folder has no row: it is the
-- beginning of a path.
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

-- The versions of files: one row for each write, move, removal and restoration, complete in itself. No foreign key: only the
-- functions of files/ insert rows, in the transaction that writes the file's row.
create table file_versions (
  workspace_id uuid not null,
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

-- The words of each live text file, for search. No foreign key: its check would lock files that are being written.
create table file_words (
  workspace_id uuid not null,
  file_id uuid primary key,
  words tsvector not null
);

create index file_words_search on file_words using gin (words);

-- Versions that are not in the search index yet. A write inserts a row; the next search, or a pod a moment later, indexes the
-- file and deletes the row. Each row has a key of its own, so a writer never waits for an indexer.
create table unindexed (
  workspace_id uuid not null,
  file_id uuid not null,
  version integer not null,
  primary key (workspace_id, file_id, version)
);

-- Many files that disappeared from a workspace's folder at once: they stay in the workspace until a person decides.
create table held_removals (
  workspace_id uuid primary key references workspaces on delete cascade,
  since timestamptz not null default clock_timestamp(),
  -- How many files are missing on disk.
  files integer not null,
  -- Files that the mirror removed from the workspace before it recognised the mass removal.
  removed uuid[] not null default '{}',
  decision text check (decision in ('restore', 'remove'))
);
