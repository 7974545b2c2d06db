-- Executors: programs outside the server that write the answers of runs.

-- One answer that an executor is asked to write. The owner of the thread offers it, an executor claims it, posts its events, and
-- finishes it; the owner appends them to the log and ends the assignment. `attempt` is the owner's: with another owner, or another
-- claim, an executor can post nothing more. `request` is what the executor is given; it goes when the assignment ends.
create table assignments (
  run_id uuid not null references runs (id) on delete cascade,
  message text not null,
  workspace_id uuid not null references workspaces (id) on delete cascade,
  thread_id uuid not null references threads (id) on delete cascade,
  executor text not null,
  -- The role of the run.
  role text not null,
  attempt integer not null,
  request json,
  status text not null default 'waiting' check (status in ('waiting', 'claimed', 'answered', 'ended')),
  -- Why it ended.
  reason text,
  claim uuid,
  claimed_by text,
  -- How often it was claimed.
  claims integer not null default 0,
  lease_until timestamptz,
  -- The last batch of events that was posted under this claim; 0: none.
  last_seq integer not null default 0,
  offered_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  primary key (run_id, message)
);

create index assignments_waiting on assignments (executor, offered_at) where status = 'waiting';
create index assignments_of_thread on assignments (thread_id);
create index assignments_ended on assignments (ended_at) where status = 'ended';

-- What executors posted and the owner has not ended yet, in batches.
create table assignment_events (
  run_id uuid not null,
  message text not null,
  claim uuid not null,
  seq integer not null,
  workspace_id uuid not null references workspaces (id) on delete cascade,
  events json not null,
  primary key (run_id, message, claim, seq),
  foreign key (run_id, message) references assignments (run_id, message) on delete cascade
);

-- What an executor wants back when it writes the next answer of the thread. Commits with the message that it belongs to.
create table executor_states (
  run_id uuid not null references runs (id) on delete cascade,
  message text not null,
  workspace_id uuid not null references workspaces (id) on delete cascade,
  state json not null,
  primary key (run_id, message)
);

-- Which executors asked for work, and until when the last of them waits. Without a workspace or a role: for work of all.
create table executors (
  name text not null,
  workspace_id uuid references workspaces (id) on delete cascade,
  role text,
  waits_until timestamptz not null,
  unique nulls not distinct (name, workspace_id, role)
);
