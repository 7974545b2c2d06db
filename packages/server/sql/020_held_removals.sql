-- Many files that disappeared from a workspace's folder at once: they stay in the workspace until a person decides.
create table held_removals (
  workspace_id uuid primary key references workspaces on delete cascade,
  since timestamptz not null default clock_timestamp(),
  -- How many files are missing on disk.
  files integer not null,
  -- Files that were removed from the workspace in the same sweep, before it was known to be one.
  removed uuid[] not null default '{}',
  decision text check (decision in ('restore', 'remove'))
);
