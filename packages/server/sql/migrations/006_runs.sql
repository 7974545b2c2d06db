-- Pods, and the runs that they execute, with approvals, snapshots and idempotency keys.

-- A running server process. `number` names its session advisory lock. A pod is dead if that lock is free or its heartbeat is
-- older than its lease.
create sequence pod_numbers as integer cycle;

create table pods (
  id uuid primary key,
  number integer not null unique,
  name text not null,
  lease interval not null,
  started_at timestamptz not null default clock_timestamp(),
  heartbeat_at timestamptz not null default clock_timestamp()
);

create table runs (
  id uuid primary key,
  workspace_id uuid not null,
  thread_id uuid not null references threads (id),
  -- The order of the thread's runs, from 1.
  ordinal integer not null,
  message_id uuid not null,
  retry_of uuid references runs (id),
  model text not null,
  role text not null,
  status text not null default 'queued' check (status in ('queued', 'running', 'done', 'error', 'canceled')),
  -- The limits that the message asked for; the server's own limits apply where it asked for none.
  limits json,
  error json,
  usage json,
  cost double precision,
  first_seq integer,
  last_seq integer,
  queued_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  ended_at timestamptz,
  cancel_requested_at timestamptz,
  cancel_reason text,
  -- The run rests at its next step.
  pause_requested_at timestamptz,
  -- How many messages were sent to the run while it ran.
  steers integer not null default 0,
  -- The first run that this run rewinds; its successors up to this run are rewound with it.
  rewinds uuid,
  rewound boolean not null default false,
  -- The run that took over the message of this run, which ends canceled.
  steered_into uuid,
  unique (thread_id, ordinal)
) with (fillfactor = 70);

create index runs_open on runs (thread_id, ordinal) where status in ('queued', 'running');
-- Serves the list of runs, newest first. Ids are not in the order of time: some clients' run ids are made from the client's ids.
create index runs_by_time on runs (queued_at, id);

-- What a run asks a person: whether a call may be made (`call`), whether it may be made again after a crash left its outcome
-- unknown (`unknown_outcome`), or what a running call wants to know (`question`). The `input` of a question is the JSON schema of
-- its answer; `answer` comes with `decided_input`, `deny` and `skip` come without.
create table approvals (
  id uuid primary key,
  workspace_id uuid not null references workspaces (id),
  thread_id uuid not null references threads (id),
  run_id uuid not null references runs (id),
  call text not null,
  tool text not null,
  kind text not null check (kind in ('call', 'unknown_outcome', 'question')),
  input json not null,
  paths json not null,
  reason text not null,
  asked_at timestamptz not null,
  expires_at timestamptz,
  decision text check (decision in ('approve', 'deny', 'edit', 'retry', 'skip', 'answer', 'expired', 'canceled')),
  decided_input json,
  comment text,
  decided_at timestamptz
);

create index approvals_listed on approvals (workspace_id, asked_at desc, id desc);
create index approvals_open on approvals (workspace_id, asked_at desc, id desc) where decision is null;
create index approvals_of_run on approvals (run_id);
create index approvals_of_thread on approvals (thread_id);

-- A thread's folded state at `seq`: a pod that opens the thread reads only the events after it. Derived from the log, so rows
-- may be deleted at any time. `version` is that of the fold: a server ignores the rows of other versions.
create table thread_snapshots (
  thread_id uuid primary key references threads (id) on delete cascade,
  version integer not null,
  seq integer not null,
  state json not null,
  made_at timestamptz not null default clock_timestamp()
);

-- Responses to requests with an Idempotency-Key, kept for 24 hours.
create table idempotency_keys (
  workspace_id uuid not null references workspaces (id),
  key text not null,
  request_hash text not null,
  response json not null,
  created_at timestamptz not null default now(),
  primary key (workspace_id, key)
);

create index idempotency_keys_age on idempotency_keys (created_at);
