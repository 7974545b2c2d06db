-- A run that works on a plan changes the statuses of its steps. p_steps is as in change_plan_steps. See append_with_changes.
-- Invariants: one open run at a time works on a plan. A step that somebody else has changed meanwhile is not changed: CN001 undoes
-- the whole append, so that no step starts that was skipped.
create or replace function on_append_plan_steps(
  p_thread uuid, p_run uuid, p_at timestamptz, p_plan uuid, p_steps json
) returns boolean language plpgsql as $$
declare
  v_workspace uuid;
begin
  update plans p set run_id = p_run, chat_id = p_thread
    where p.id = p_plan and (p.run_id is null or p.run_id = p_run
      or not exists (select from runs r where r.id = p.run_id and r.status in ('queued', 'running')))
    returning p.workspace_id into v_workspace;
  if not found then
    raise exception 'another run works on plan %', p_plan using errcode = 'CN001';
  end if;
  perform change_plan_state(v_workspace, p_plan, array['draft', 'approved', 'done', 'failed', 'stopped'], 'running');
  if jsonb_array_length(change_plan_steps(v_workspace, p_plan, p_steps::jsonb, p_at)) < json_array_length(p_steps) then
    raise exception 'the steps of plan % have changed', p_plan using errcode = 'CN001';
  end if;
  return true;
end $$;
