-- The run that works on a plan is paused or resumed, and the plan with it. See append_with_changes.
create or replace function on_append_plan_pause(p_run uuid, p_plan uuid, p_plan_state text)
returns boolean language sql as $$
  select coalesce(bool_or(change_plan_state(p.workspace_id, p.id,
      array[case p_plan_state when 'paused' then 'running' else 'paused' end], p_plan_state)), false)
    from plans p where p.id = p_plan and p.run_id = p_run
$$;
