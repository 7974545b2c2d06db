-- Workspaces and their change feeds.

-- `change_seq` is the last number of the change feed. `bytes` counts the content of all versions of the workspace's files.
-- `policy` says what agents may do: {rules}; null is the server's default. A removed workspace is purged after its grace period.
create table workspaces (
  id uuid primary key,
  name text not null,
  created_at timestamptz not null default now(),
  change_seq bigint not null default 0,
  bytes bigint not null default 0,
  removed_at timestamptz,
  policy json
);

create unique index workspaces_name on workspaces (name) where removed_at is null;

insert into workspaces (id, name) values ('00000000-0000-7000-8000-000000000001', 'default');

-- The change feed of a workspace. Several transactions write at once: each takes its seq from the workspace's row, and keeps
-- that row locked until it commits. `type` says what happened (`file_updated`, …), `object_id` to which object, and `data` is what
-- followers are sent. No foreign keys: record_change alone inserts rows, next to the rows that they speak of.
create table changes (
  workspace_id uuid not null,
  seq bigint not null,
  type text not null,
  object_id uuid not null,
  data json not null,
  at timestamptz not null default clock_timestamp(),
  primary key (workspace_id, seq)
);

-- Finds the file that was moved away from a path.
create index changes_moved on changes (workspace_id, (data ->> 'from'), seq) where type = 'file_moved';
