-- Changes the statuses of a plan's steps, each by compare-and-set, and adds a `plan_step` to the change feed for each that changed.
-- p_changes is an array of {step_id, from, to, run?, chat?, error?, cost?}: `from` lists the statuses that it may change from; null: any
-- other. A change to the same status sets run, chat and cost alone. Returns the steps that changed, as {step, step_id, status, title, …}.
-- Invariant: a caller that changes a plan's steps has locked its row in plans.
create or replace function change_plan_steps(p_workspace uuid, p_plan uuid, p_changes jsonb, p_at timestamptz)
returns jsonb language plpgsql as $$
declare
  v record;
  v_step plan_steps;
  v_changed jsonb := '[]';
begin
  perform from plans p where p.id = p_plan and p.workspace_id = p_workspace for update;
  for v in
    select * from jsonb_to_recordset(p_changes) as c (
      step_id text, "from" jsonb, "to" text, run uuid, chat uuid, error text, cost double precision)
  loop
    update plan_steps s set status = v."to", run_id = coalesce(v.run, s.run_id), chat_id = coalesce(v.chat, s.chat_id),
        error = v.error, cost = coalesce(v.cost, s.cost), updated_at = p_at
      where s.plan_id = p_plan and s.step_id = v.step_id and s.position is not null
        and (v."from" is null or v."from" = 'null' or v."from" ? s.status)
        and (s.status, s.error, s.run_id, s.chat_id, s.cost) is distinct from
          (v."to", v.error, coalesce(v.run, s.run_id), coalesce(v.chat, s.chat_id), coalesce(v.cost, s.cost))
      returning * into v_step;
    if found then
      v_changed := v_changed || plan_step_data(v_step);
    end if;
  end loop;
  if v_changed <> '[]' then
    update plans p set is_dirty = true where p.id = p_plan and not p.is_dirty;
    perform record_changes(p_workspace, (
      select jsonb_agg(jsonb_build_object('type', 'plan_step', 'object_id', p_plan, 'data', c.change) order by c.n)
      from jsonb_array_elements(v_changed) with ordinality c (change, n)), 0, 0);
  end if;
  return v_changed;
end $$;
