-- Changes the state of a plan, by compare-and-set, and tells the change feed. p_from lists the states that it may change from. Returns
-- whether it changed.
create or replace function change_plan_state(p_workspace uuid, p_plan uuid, p_from text[], p_to text) returns boolean
language plpgsql as $$
declare
  v_plan plans;
begin
  update plans p set state = p_to where p.id = p_plan and p.workspace_id = p_workspace and p.state = any (p_from)
    returning * into v_plan;
  if not found then
    return false;
  end if;
  perform record_change(p_workspace, 'plan_changed', p_plan, jsonb_strip_nulls(jsonb_build_object('plan', p_plan, 'state', p_to,
    'approved_version', v_plan.approved_version, 'run', v_plan.run_id, 'chat', v_plan.chat_id))::json, 0, 0);
  return true;
end $$;
