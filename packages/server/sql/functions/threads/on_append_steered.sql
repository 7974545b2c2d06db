-- A run took in a steering message, which gets its place in the log. See append_with_changes.
create or replace function on_append_steered(p_seq integer, p_id uuid) returns boolean language plpgsql as $$
begin
  update messages set seq = p_seq where id = p_id;
  return found;
end $$;
