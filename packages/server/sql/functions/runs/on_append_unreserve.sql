-- Another pod takes a run over: what the calls of the former owner had reserved is free again. See append_with_changes.
create or replace function on_append_unreserve(p_run uuid) returns boolean language plpgsql as $$
begin
  perform release_reservations(p_run, null);
  return true;
end $$;
