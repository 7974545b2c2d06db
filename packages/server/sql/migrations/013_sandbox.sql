-- Commands that ran in a sandbox.

-- One call of exec. While the command runs, `output` holds the end of its output; afterwards all of it that is kept. A call
-- that is repeated after a crash replaces its row.
create table executions (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  thread_id uuid not null references threads (id) on delete cascade,
  run_id uuid not null,
  call_id text not null,
  command text not null,
  cwd text not null,
  output text not null default '',
  output_bytes bigint not null default 0,
  -- Null while the command runs, or if a limit ended it.
  exit_code integer,
  -- Which limit ended the command.
  ended_by text,
  -- What the command changed and is not proposed, with the reasons.
  left_out json not null default '[]',
  started_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  primary key (run_id, call_id)
);
create index executions_of_thread on executions (thread_id, started_at desc);

-- What a command changed in its copy of the workspace, as a proposal: the new content of files, in parts. `base` is the
-- version that the command started from; 0: it created the file.
create table execution_changes (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  run_id uuid not null,
  call_id text not null,
  path text not null,
  part integer not null,
  base integer not null,
  size bigint not null,
  is_text boolean not null,
  data bytea not null,
  primary key (run_id, call_id, path, part),
  foreign key (run_id, call_id) references executions (run_id, call_id) on delete cascade
);
