-- A thread gets the title that it wanted. A title that a person gave it meanwhile stays. See append_with_changes.
create or replace function on_append_title(p_thread uuid, p_title text) returns boolean language plpgsql as $$
begin
  update threads set title = coalesce(title, p_title), title_wanted = false where id = p_thread and title_wanted;
  return found;
end $$;
