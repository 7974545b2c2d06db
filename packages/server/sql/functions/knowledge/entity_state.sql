-- An entity as clients see it: what patches are made against, and what versions keep. `edges` are all edges at either end.
-- In plpgsql, whose plans live as long as the session: every change of an entity calls this.
create or replace function entity_state(p_entity entities) returns jsonb language plpgsql stable as $$
declare
  v_edges jsonb;
begin
  select jsonb_agg(jsonb_build_object('id', e.id, 'from_id', e.from_id, 'rel', e.rel, 'to_id', e.to_id) order by e.id) into v_edges
    from edges e where e.from_id = p_entity.id or e.to_id = p_entity.id;
  return entity_members(p_entity, coalesce(v_edges, '[]'));
end $$;
