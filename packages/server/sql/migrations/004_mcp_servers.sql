-- MCP servers.

-- The MCP servers of a workspace. Rows and not files: agents write files, and must not be able to name a command.
-- `config` may hold secrets (the values of `env` and `headers`): the server never sends or logs them.
create table mcp_servers (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  name text not null,
  config json not null,
  enabled boolean not null,
  created_at timestamptz not null default clock_timestamp(),
  -- Also the version that pods compare: a change restarts the server's connections.
  updated_at timestamptz not null default clock_timestamp(),
  primary key (workspace_id, name)
);
