-- Makes a plan's entity equal to its file, and returns its change for the feed; null if there is nothing to tell. p_is_plan: whether the
-- file is a plan now; p_project is the project whose folder it is in, if any.
create or replace function update_plan(p_file files, p_is_plan boolean, p_project uuid, p_author json) returns jsonb
language plpgsql as $$
declare
  v_entity entities;
  v_old jsonb;
  v_head record;
  v_fields jsonb;
begin
  select * into v_entity from entities e where e.id = p_file.id;
  if found then
    v_old := entity_state(v_entity);
  end if;
  if not p_is_plan then
    update entities e set version = e.version + 1, removed_at = p_file.changed_at, updated_at = p_file.changed_at
      where e.id = p_file.id and e.kind = 'plan' and e.removed_at is null returning * into v_entity;
    return case when found then entity_patch(v_old, entity_state(v_entity), v_entity, p_author) end;
  end if;
  v_head := document_head(p_file);
  v_fields := jsonb_build_object('description', v_head.description, 'path', p_file.path, 'content_version', p_file.version,
    'content_length', v_head.content_length);
  insert into entities as e (id, workspace_id, kind, project_id, version, title, fields, created_at, updated_at)
    values (p_file.id, p_file.workspace_id, 'plan', p_project, 1, coalesce(v_head.goal, v_head.title), v_fields,
      p_file.created_at, p_file.changed_at)
    on conflict (id) do update set version = e.version + 1, kind = excluded.kind, project_id = excluded.project_id,
      title = excluded.title, state = null, fields = excluded.fields, updated_at = excluded.updated_at, removed_at = null
    returning * into v_entity;
  return entity_patch(v_old, entity_state(v_entity), v_entity, p_author);
end $$;
