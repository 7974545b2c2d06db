-- The states of the two ends of a new edge, in order. CN420: an end is not there. CN422: an end has too many edges already.
create or replace function linkable_states(p_workspace uuid, p_ids uuid[]) returns jsonb[] language plpgsql stable as $$
declare
  v_entity entities;
  v_states jsonb[] := '{}';
  v_most constant integer := 500;
begin
  for i in 1 .. 2 loop
    select * into v_entity from entities e
      where e.id = p_ids[i] and e.workspace_id = p_workspace and e.removed_at is null
        and not exists (select from entities p where p.id = e.project_id and p.removed_at is not null);
    if not found then
      raise exception '%', p_ids[i] using errcode = 'CN420';
    end if;
    if (select count(*) from edges e where e.from_id = p_ids[i] or e.to_id = p_ids[i]) >= v_most then
      raise exception '% has % links, which is the most; remove one first', v_entity.title, v_most using errcode = 'CN422';
    end if;
    v_states := v_states || entity_state(v_entity);
  end loop;
  return v_states;
end $$;
