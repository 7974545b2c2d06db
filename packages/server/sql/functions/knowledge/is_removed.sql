-- Whether there is an entity with this id that was removed. A function of its own, and not a join: where a statement joins the few projects of
-- its files with the entities, Postgres may read all entities in the order of their ids. By the id alone, or the index of removed
-- entities may be read instead.
create or replace function is_removed(p_entity uuid) returns boolean language plpgsql stable as $$
begin
  return coalesce((select e.removed_at is not null from entities e where e.id = p_entity), false);
end $$;
