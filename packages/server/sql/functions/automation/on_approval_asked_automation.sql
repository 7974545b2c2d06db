-- Writes the messages that webhooks get about a waiting approval, in the append that asks for it. See on_append_approval.
-- They do not have the call's input, which may be secret: a person reads it where the decision is made.
create or replace function on_approval_asked_automation(p_approval uuid, p_workspace uuid) returns void language plpgsql as $$
declare
  v_plan uuid;
begin
  if exists (select from webhooks where workspace_id = p_workspace) then
    -- A step's approval belongs to the plan of its first ancestor.
    select p.id into v_plan from approvals a join plans p on p.workspace_id = p_workspace and p.run_id = root_run(a.run_id)
      where a.id = p_approval;
    perform add_webhook_messages(p_workspace, 'approval.waiting', a.asked_at, json_build_object(
        'workspace_id', a.workspace_id, 'chat_id', a.thread_id, 'run_id', a.run_id, 'plan_id', v_plan, 'approval_id', a.id,
        'kind', a.kind, 'tool', a.tool, 'reason', a.reason, 'asked_at', wire_time(a.asked_at),
        'expires_at', wire_time(a.expires_at)), v_plan)
      from approvals a where a.id = p_approval;
  end if;
end $$;
