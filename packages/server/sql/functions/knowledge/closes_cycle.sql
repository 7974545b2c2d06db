-- Whether an edge would lead back to its start along edges of the same relation.
create or replace function closes_cycle(p_from uuid, p_to uuid, p_rel text) returns boolean language sql stable as $$
  with recursive reached (id) as (
    select p_to
    union
    select e.to_id from reached r join edges e on e.from_id = r.id and e.rel = p_rel
  )
  select exists (select from reached where id = p_from)
$$;
