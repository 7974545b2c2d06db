-- Writes the messages that webhooks get about the end of a run, in the append that ends it. See on_append_end.
-- A child run is a part of its parent, whose end is told.
-- Invariant: a run's end and its messages commit together. Without webhooks in the workspace, it reads one index and is done.
create or replace function on_run_end_automation(p_run uuid, p_workspace uuid) returns void language plpgsql as $$
declare
  v_plan uuid;
begin
  if exists (select from webhooks where workspace_id = p_workspace) then
    select p.id into v_plan from plans p where p.workspace_id = p_workspace and p.run_id = p_run;
    perform add_webhook_messages(p_workspace, 'run.ended', r.ended_at, json_build_object(
        'workspace_id', r.workspace_id, 'chat_id', r.thread_id, 'run_id', r.id, 'plan_id', v_plan, 'status', r.status,
        'error', r.error, 'role', r.role, 'model', r.model, 'usage', r.usage, 'cost', r.cost,
        'queued_at', wire_time(r.queued_at), 'started_at', wire_time(r.started_at), 'ended_at', wire_time(r.ended_at)), v_plan)
      from runs r where r.id = p_run and r.parent_run is null;
  end if;
end $$;
