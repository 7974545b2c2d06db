-- A run that worked on a plan ends. Steps that it leaves running are pending again, for the next run. See append_with_changes.
-- A concept adds to it by a function on_plan_ended_<concept>(p_plan uuid, p_workspace uuid).
create or replace function on_append_plan_end(p_run uuid, p_at timestamptz, p_plan uuid, p_plan_state text)
returns boolean language plpgsql as $$
declare
  v_plan plans;
begin
  select * into v_plan from plans p where p.id = p_plan and p.run_id = p_run for update;
  if not found then
    return false;
  end if;
  perform change_plan_steps(v_plan.workspace_id, p_plan, coalesce((
    select jsonb_agg(jsonb_build_object('step_id', s.step_id, 'from', jsonb_build_array('running'), 'to', 'pending'))
    from plan_steps s where s.plan_id = p_plan and s.status = 'running'), '[]'), p_at);
  if not change_plan_state(v_plan.workspace_id, p_plan, array['draft', 'approved', 'running', 'paused'], p_plan_state) then
    return false;
  end if;
  /* each on_plan_ended_*: perform {function}(p_plan, v_plan.workspace_id); */
  return true;
end $$;
