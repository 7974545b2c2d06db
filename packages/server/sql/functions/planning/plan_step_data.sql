-- What `plan_step` says of a step, in the log and in the change feed.
create or replace function plan_step_data(p_step plan_steps) returns jsonb language sql stable as $$
  select jsonb_strip_nulls(jsonb_build_object('plan', p_step.plan_id, 'step', p_step.position, 'step_id', p_step.step_id,
    'status', p_step.status, 'title', p_step.title, 'chat', p_step.chat_id, 'run', p_step.run_id, 'error', p_step.error))
$$;
