-- Writes the messages that webhooks get about a piece of content that was published or taken off, in the transaction that does
-- it. See publish_content and unpublish_content. p_event is the event's type.
create or replace function on_publication_automation(p_workspace uuid, p_event text, p_data json) returns void
language plpgsql as $$
begin
  if exists (select from webhooks where workspace_id = p_workspace) then
    perform add_webhook_messages(p_workspace, p_event, clock_timestamp(), p_data, null);
  end if;
end $$;
