-- Trigger function: notifies the pods that a chat was renamed, removed or restored, so that its file on disk follows. (The log
-- tells them that a run ended.)
create or replace function tell_chat() returns trigger language plpgsql as $$
begin
  perform pg_notify('continuo_chats', new.id::text);
  return null;
end $$;
