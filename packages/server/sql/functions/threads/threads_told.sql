-- Tells the pods about a chat's new name, removal or restoration.
create or replace trigger threads_told after update of title, removed_at on threads for each row
  when (old.title is distinct from new.title or old.removed_at is distinct from new.removed_at)
  execute function tell_chat();
