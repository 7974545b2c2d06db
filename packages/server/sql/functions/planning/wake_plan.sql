-- Wakes the run that works on a plan: what it decides on has changed. Returns its thread; null if no run works on the plan.
create or replace function wake_plan(p_plan uuid) returns uuid language sql as $$
  update threads t set wake_at = least(t.wake_at, clock_timestamp())
    from plans p join runs r on r.id = p.run_id and r.status = 'running'
    where p.id = p_plan and t.id = r.thread_id
    returning t.id
$$;
