-- How many tokens the provider of a model counts for one that the server estimates. Learned from reported usage; see
-- context/token-ratios.ts.
create table token_ratios (
  workspace_id uuid not null references workspaces (id),
  model text not null,
  -- The ratio that requests use.
  ratio real not null,
  -- What it was learned from: the latest requests, as estimated and as reported. Older ones count less.
  estimated double precision not null,
  reported double precision not null,
  changed_at timestamptz not null default now(),
  primary key (workspace_id, model)
);
