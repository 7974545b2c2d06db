-- Workspace secrets.

-- Values that tools and MCP servers are handed by name. `sealed` is encrypted with a key that is not in the database
-- (AES-256-GCM: nonce, tag, ciphertext), bound to the workspace and the name. `key_id` says with which key.
create table secrets (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  name text not null,
  sealed bytea not null,
  key_id text not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (workspace_id, name)
);
