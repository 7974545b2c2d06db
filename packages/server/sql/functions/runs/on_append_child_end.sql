-- A run has taken in the end of a child run, which is no fact any more. See append_with_changes.
create or replace function on_append_child_end(p_run uuid, p_child_run uuid) returns boolean language plpgsql as $$
begin
  update runs c set reported = true where c.id = p_child_run and c.parent_run = p_run;
  return found;
end $$;
