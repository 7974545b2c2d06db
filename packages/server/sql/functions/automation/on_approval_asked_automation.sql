-- Writes the messages that webhooks get about a waiting approval, in the append that asks for it. See on_append_approval.
-- They do not have the call's input, which may be secret: a person reads it where the decision is made.
create or replace function on_approval_asked_automation(p_approval uuid, p_workspace uuid) returns void language plpgsql as $$
begin
  if exists (select from webhooks where workspace_id = p_workspace) then
    perform add_webhook_messages(p_workspace, 'approval.waiting', a.asked_at, json_build_object(
        'workspace_id', a.workspace_id, 'chat_id', a.thread_id, 'run_id', a.run_id, 'approval_id', a.id, 'kind', a.kind,
        'tool', a.tool, 'reason', a.reason, 'asked_at', wire_time(a.asked_at), 'expires_at', wire_time(a.expires_at)))
      from approvals a where a.id = p_approval;
  end if;
end $$;
