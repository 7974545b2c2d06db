-- Child runs: a run may start other runs, each on a thread of its own, and waits for them with nothing held.

-- The run that started the thread, and how deep the thread is below a person's chat (0). Lists show only threads without a
-- parent.
alter table threads add parent_run uuid, add depth integer not null default 0;

drop index threads_listed, threads_active;
create index threads_listed on threads (workspace_id, created_at desc, id desc) where parent_run is null;
create index threads_active on threads (workspace_id, active_at desc, id desc) where parent_run is null;
create index threads_of_parent on threads (parent_run) where parent_run is not null;

-- `parent_run`: the run that started this one and waits for it. `reported`: the parent's log has this run's end.
-- `directive`: what decides about the run's steps instead of its role's model, as {mode, …}; null for the model.
-- `tools`: the names of the only tools that the run may use; null for all of its role's.
alter table runs add parent_run uuid, add reported boolean not null default false, add directive json, add tools json;
create index runs_of_parent on runs (parent_run) where parent_run is not null and not reported;

-- The run whose budget a child run draws on: the nearest ancestor with limits of its own. Null without one.
alter table runs add budget uuid;

-- What a run's children have spent and reserved together. The limits are those of the run's row.
create table budgets (
  run_id uuid primary key references runs (id) on delete cascade,
  workspace_id uuid not null,
  steps integer not null default 0,
  tokens bigint not null default 0,
  cost double precision not null default 0
) with (fillfactor = 70);

-- What a model call may spend at most, committed before the model is asked. The row goes when the call's usage is in the log, or
-- when another pod takes the run over.
create table reservations (
  run_id uuid not null references runs (id) on delete cascade,
  message text collate "C" not null,
  workspace_id uuid not null,
  budget uuid not null,
  tokens bigint not null,
  cost double precision not null,
  primary key (run_id, message)
);
