-- The owner has appended a person's change of the agent state: it is no longer a fact. See append_with_changes.
create or replace function on_append_state_edit(p_thread uuid, p_id uuid) returns boolean language plpgsql as $$
begin
  update threads t set state_edits = (
      select coalesce(array_agg(e.edit order by e.place), '{}')
      from unnest(t.state_edits) with ordinality e (edit, place) where e.edit ->> 'id' <> p_id::text)
    where t.id = p_thread;
  return found;
end $$;
