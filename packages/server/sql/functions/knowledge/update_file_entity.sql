-- Makes the entity of a file equal to the file, and returns its change for the feed; null if there is nothing to tell. p_kind: what the
-- file is, or was: a document or a plan. p_is: whether it is that now. p_project: the project that it is in, if any.
create or replace function update_file_entity(p_file files, p_kind text, p_is boolean, p_project uuid, p_author json) returns jsonb
language plpgsql as $$
declare
  v_entity entities;
  v_old jsonb;
  v_head record;
  v_title text;
  v_fields jsonb;
begin
  select * into v_entity from entities e where e.id = p_file.id;
  if found then
    v_old := entity_state(v_entity);
  end if;
  if not p_is then
    update entities e set version = e.version + 1, removed_at = p_file.changed_at, updated_at = p_file.changed_at
      where e.id = p_file.id and e.kind = p_kind and e.removed_at is null returning * into v_entity;
    return case when found then entity_patch(v_old, entity_state(v_entity), v_entity, p_author) end;
  end if;
  v_head := document_head(p_file);
  v_title := case when p_kind = 'plan' then coalesce(v_head.goal, v_head.title) else v_head.title end;
  v_fields := jsonb_build_object('description', v_head.description, 'path', p_file.path, 'content_version', p_file.version,
    'content_length', v_head.content_length);
  if v_entity.removed_at is null and v_entity.kind = p_kind and v_entity.project_id is not distinct from p_project
    and v_entity.title = v_title and v_entity.fields = v_fields then
    return null;
  end if;
  insert into entities as e (id, workspace_id, kind, project_id, version, title, fields, created_at, updated_at)
    values (p_file.id, p_file.workspace_id, p_kind, p_project, 1, v_title, v_fields, p_file.created_at, p_file.changed_at)
    on conflict (id) do update set version = e.version + 1, kind = excluded.kind, project_id = excluded.project_id,
      title = excluded.title, state = null, fields = excluded.fields, updated_at = excluded.updated_at, removed_at = null
    returning * into v_entity;
  return entity_patch(v_old, entity_state(v_entity), v_entity, p_author);
end $$;
