-- Plans: files that say what is to be done, and the status of each of their steps.

-- A plan's id is its file's id. `file_version` is the version of the file that the rows follow; `hash` is the hash of the plan in it,
-- without the statuses of its steps, and `problems` are the mistakes that kept it from being read. `approved_…` say which version a
-- person approved. `is_dirty`: steps have a status that the file does not show yet. `run_id` and `chat_id` are the run that works on
-- the plan, and its chat.
create table plans (
  id uuid primary key,
  workspace_id uuid not null references workspaces (id),
  file_version integer not null default 0,
  hash text,
  problems jsonb not null default '[]',
  state text not null default 'draft'
    check (state in ('draft', 'approved', 'running', 'paused', 'done', 'failed', 'stopped')),
  approved_version integer,
  approved_hash text,
  approved_by json,
  approved_at timestamptz,
  run_id uuid,
  chat_id uuid,
  is_dirty boolean not null default false,
  rendered_at timestamptz
) with (fillfactor = 80);

create index plans_workspace on plans (workspace_id);
create index plans_dirty on plans (rendered_at) where is_dirty;

-- The steps of a plan. `position` counts from 1 in the order of the file; null if the file no longer has the step. `shown` is the
-- status that the file shows. `run_id` and `chat_id` are the step's own run and chat; `error` says why it failed, is blocked or was
-- skipped; `cost` is in dollars.
create table plan_steps (
  workspace_id uuid not null,
  plan_id uuid not null references plans (id) on delete cascade,
  step_id text not null,
  position integer,
  title text not null,
  status text not null check (status in ('pending', 'running', 'done', 'failed', 'skipped', 'blocked')),
  shown text not null,
  run_id uuid,
  chat_id uuid,
  error text,
  cost double precision,
  updated_at timestamptz not null,
  primary key (plan_id, step_id)
) with (fillfactor = 80);

-- Plans were rows before they were files. Those are goals from here on, with their titles, descriptions and links.
update entities set kind = 'goal', state = case state when 'done' then 'achieved' when 'canceled' then 'abandoned' else 'active' end,
    fields = fields || '{"measure": null, "due": null}'
  where kind = 'plan';
