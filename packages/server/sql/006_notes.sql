-- Notes that a thread's runs keep for later ones. They go with their thread.
create table notes (
  thread_id uuid not null references threads (id) on delete cascade,
  name text collate "C" not null,
  text text not null,
  run_id uuid not null,
  changed_at timestamptz not null default clock_timestamp(),
  primary key (thread_id, name)
);
