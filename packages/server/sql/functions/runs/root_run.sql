-- The first ancestor of a run that another one started; null without a run.
create or replace function root_run(p_run uuid) returns uuid language sql stable as $$
  with recursive ancestors (id, parent_run) as (
    select r.id, r.parent_run from runs r where r.id = p_run
    union all
    select r.id, r.parent_run from ancestors a join runs r on r.id = a.parent_run
  )
  select a.id from ancestors a where a.parent_run is null
$$;
