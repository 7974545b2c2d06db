-- Adds a message for each of the workspace's webhooks that wants this event. `p_plan` is the plan that the event belongs to; a webhook
-- with a plan is told only about that one.
-- The webhooks are locked against removal: a message whose webhook is gone would violate its foreign key, and with it fail the
-- append that it belongs to. A webhook that is removed meanwhile is waited for, and gets no message.
create or replace function add_webhook_messages(p_workspace uuid, p_event text, p_at timestamptz, p_data json, p_plan uuid)
returns void language plpgsql as $$
begin
  insert into webhook_deliveries (id, workspace_id, webhook_id, event, payload)
    select gen_random_uuid(), p_workspace, w.id, p_event,
      json_build_object('type', p_event, 'timestamp', wire_time(p_at), 'data', p_data)
    from webhooks w
    where w.workspace_id = p_workspace and w.enabled and p_event = any (w.events)
      and (w.plan_id is null or w.plan_id = p_plan)
    for key share;
end $$;
