-- Read keys: with one, a site reads what a workspace has published, and nothing else. Only the hash of a key is stored.
create table read_keys (
  id uuid primary key,
  workspace_id uuid not null references workspaces (id) on delete cascade,
  name text not null,
  key_hash bytea not null unique,
  created_by json not null,
  created_at timestamptz not null default clock_timestamp(),
  -- The last use, to the hour.
  used_at timestamptz,
  unique (workspace_id, name)
);
