-- Automation: schedules start runs at their times, webhooks tell others about runs, and triggers let others start runs.

-- `start` is what each time starts: {message, chat_id, title, role, model, limits}. `missed` says what happens to times that
-- passed while no server was running, `overlap` what happens at a time while the schedule's last run is still open. Runs act
-- on behalf of `principal`.
create table schedules (
  id uuid primary key,
  workspace_id uuid not null references workspaces (id) on delete cascade,
  name text not null,
  cron text not null,
  time_zone text not null,
  start json not null,
  missed text not null check (missed in ('skip', 'run_once')),
  overlap text not null check (overlap in ('skip', 'queue')),
  paused boolean not null,
  principal json not null,
  -- Null if the schedule is paused, or its expression has no further time.
  next_at timestamptz,
  last_run uuid,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  unique (workspace_id, name)
);

create index schedules_due on schedules (next_at) where next_at is not null;

-- What became of a schedule's times. The key makes a time start at most one run. `earlier` counts the times before it that were
-- missed together with it. `manual`: a person started it, at no time of the schedule. Threads and runs may be purged earlier.
create table schedule_times (
  schedule_id uuid not null references schedules (id) on delete cascade,
  workspace_id uuid not null,
  at timestamptz not null,
  outcome text not null check (outcome in ('started', 'missed', 'skipped', 'refused')),
  manual boolean not null,
  earlier integer not null,
  reason text,
  thread_id uuid,
  run_id uuid,
  decided_at timestamptz not null default clock_timestamp(),
  primary key (schedule_id, at)
);

-- Addresses that are told about events. `secret` signs each delivery: it is sealed, as base64, and shown once.
create table webhooks (
  id uuid primary key,
  workspace_id uuid not null references workspaces (id) on delete cascade,
  url text not null,
  events text[] not null,
  secret text not null,
  enabled boolean not null,
  principal json not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);

create index webhooks_of_workspace on webhooks (workspace_id);

-- Messages to webhooks. A message waits until `next_at`; a pod that delivers it first moves `next_at` to after its time limit,
-- so that another pod repeats it if this one dies. A message whose attempts are used up is `dead` until a person sends it again.
create table webhook_deliveries (
  id uuid primary key,
  workspace_id uuid not null,
  webhook_id uuid not null references webhooks (id) on delete cascade,
  event text not null,
  payload json not null,
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'dead')),
  attempts integer not null default 0,
  next_at timestamptz not null default clock_timestamp(),
  status integer,
  error text,
  created_at timestamptz not null default clock_timestamp(),
  attempted_at timestamptz
) with (fillfactor = 80);

create index webhook_deliveries_due on webhook_deliveries (next_at) where state = 'waiting';
create index webhook_deliveries_listed on webhook_deliveries (webhook_id, created_at desc, id desc);

-- Addresses by which others start a chat. Only the hash of the token in the address is stored. `start` is as in schedules; the
-- request's body is added to its message. If `secret` (sealed, as base64) is set, requests must be signed with it.
create table triggers (
  id uuid primary key,
  workspace_id uuid not null references workspaces (id) on delete cascade,
  name text not null,
  token_hash bytea not null unique,
  start json not null,
  secret text,
  enabled boolean not null,
  principal json not null,
  used_at timestamptz,
  uses integer not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  unique (workspace_id, name)
);
