-- An entity as clients see it, with these edges.
create or replace function entity_members(p_entity entities, p_edges jsonb) returns jsonb language sql stable as $$
  select jsonb_build_object(
      'id', p_entity.id, 'kind', p_entity.kind, 'project_id', p_entity.project_id, 'version', p_entity.version,
      case p_entity.kind when 'project' then 'name' else 'title' end, p_entity.title,
      'created_at', wire_time(p_entity.created_at), 'updated_at', wire_time(p_entity.updated_at),
      'removed_at', wire_time(p_entity.removed_at), 'edges', p_edges)
    || case when p_entity.state is null then '{}' else jsonb_build_object('state', p_entity.state) end
    || p_entity.fields
$$;
