-- The change that followers of an entity are sent: `{type, object_id, data}` for record_changes. p_old and p_new are its states before and
-- after; p_old is null for a new entity.
create or replace function entity_patch(p_old jsonb, p_new jsonb, p_entity entities, p_author json)
returns jsonb language plpgsql stable as $$
begin
  return jsonb_build_object('type', 'entity_patch', 'object_id', p_entity.id, 'data', jsonb_build_object(
    'entity_type', p_entity.kind, 'entity_id', p_entity.id, 'project_id', p_entity.project_id,
    'entity_name', p_entity.title, 'version', p_entity.version,
    'patch', case when p_old is null
      then jsonb_build_array(jsonb_build_object('op', 'add', 'path', '', 'value', p_new))
      else patch_between(p_old, p_new) end,
    'author', p_author));
end $$;
