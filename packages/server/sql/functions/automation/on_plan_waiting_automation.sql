-- Writes the messages that webhooks get about a plan whose run waits for its approval, in the statement that makes it wait. See
-- plan_waiting.
create or replace function on_plan_waiting_automation(p_plan uuid, p_workspace uuid) returns void language plpgsql as $$
begin
  if exists (select from webhooks where workspace_id = p_workspace) then
    perform add_webhook_messages(p_workspace, 'plan.waiting', clock_timestamp(), plan_message(p_plan), p_plan);
  end if;
end $$;
