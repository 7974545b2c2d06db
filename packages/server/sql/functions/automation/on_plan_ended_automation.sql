-- Writes the messages that webhooks get about the end of a plan, in the append that ends it. See on_append_plan_end.
create or replace function on_plan_ended_automation(p_plan uuid, p_workspace uuid) returns void language plpgsql as $$
begin
  if exists (select from webhooks where workspace_id = p_workspace) then
    perform add_webhook_messages(p_workspace, 'plan.ended', clock_timestamp(), plan_message(p_plan), p_plan);
  end if;
end $$;
