-- Threads with their messages, sessions and notes.
-- Rows that belong to a thread repeat its workspace_id, which never changes. It has no foreign key: the thread's row has one.

-- `wake_at` is the only timer: a request that wants something of a thread sets it. `owner` is the pod that owns the thread, `attempt`
-- counts the claims. An owner that is no registered pod owns nothing.
-- A chat is a thread that was created with a goal; `role` and `model` are the defaults of its messages.
-- Facts for the owner: `stop_requested_at` ends the session, `pinged_at` restarts its idle clock, `title_wanted` asks for a title.
-- `active_at` is when a person last said something: chats are listed by it.
create table threads (
  id uuid primary key,
  workspace_id uuid not null references workspaces (id),
  title text,
  created_at timestamptz not null default now(),
  wake_at timestamptz,
  owner uuid,
  attempt integer not null default 0,
  role text,
  model text,
  mode text not null default 'chat_mode',
  title_wanted boolean not null default false,
  archived_at timestamptz,
  removed_at timestamptz,
  stop_requested_at timestamptz,
  pinged_at timestamptz,
  active_at timestamptz not null default clock_timestamp()
) with (fillfactor = 70);

create index threads_due on threads (wake_at) where owner is null and wake_at is not null;
create index threads_owned on threads (owner) where owner is not null;
create index threads_listed on threads (workspace_id, created_at desc, id desc);
create index threads_active on threads (workspace_id, active_at desc, id desc);
create index threads_removed on threads (removed_at) where removed_at is not null;
-- A chat's file is found by the end of its thread's id, whatever the file's name is.
create index threads_short on threads (workspace_id, right(id::text, 12));

-- What people and models said, in reading order: by the run's ordinal, then seq. A person's message is inserted with its run,
-- before the log has it (seq 0); a model's message is inserted with its event. A message that was sent to a running run has a
-- seq of 2,000,000,000 or more until the run takes it in.
create table messages (
  id uuid primary key,
  workspace_id uuid not null,
  thread_id uuid not null references threads (id),
  run_id uuid not null,
  ordinal integer not null,
  seq integer not null,
  role text not null check (role in ('user', 'assistant')),
  content json not null,
  created_at timestamptz not null default clock_timestamp()
);

create index messages_read on messages (thread_id, ordinal, seq);

create table sessions (
  id uuid primary key,
  workspace_id uuid not null,
  thread_id uuid not null references threads (id),
  state text not null check (state in ('idle', 'running', 'paused', 'error', 'cancelled', 'completed')),
  reason text not null,
  started_at timestamptz not null default clock_timestamp(),
  changed_at timestamptz not null default clock_timestamp()
);

create unique index sessions_one_live on sessions (thread_id) where state in ('idle', 'running', 'paused');

-- Notes that a thread's runs keep for later ones.
create table notes (
  thread_id uuid not null references threads (id) on delete cascade,
  name text collate "C" not null,
  text text not null,
  run_id uuid not null,
  changed_at timestamptz not null default clock_timestamp(),
  primary key (thread_id, name)
);

-- The server's settings that the view chat_messages needs; one row. Each pod writes its own setting when it starts.
create table audit_settings (
  only_row boolean primary key default true check (only_row),
  tool_summary_lines integer not null default 5 check (tool_summary_lines between 1 and 1000)
);

insert into audit_settings default values;
