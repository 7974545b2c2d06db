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
alter table runs add parent_run uuid, add reported boolean not null default false, add directive json;
create index runs_of_parent on runs (parent_run) where parent_run is not null and not reported;
