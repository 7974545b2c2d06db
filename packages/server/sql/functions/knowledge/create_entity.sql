-- Creates one entity of a project and adds it to the workspace's feed, as change_entities does for several. What agents do most: so it has
-- few statements, each of which costs its setup in every transaction, and reads no list. p_entity is the new entity as clients see it, and
-- p_change what the feed says: the caller makes both (newEntity in knowledge/entities.ts), which costs less than here.
-- CN420: the message is the id of a project that is not there.
-- Invariant: an entity, its first version and its patch commit together (L6). Locks: the workspace.
create or replace function create_entity(
  p_workspace uuid, p_id uuid, p_kind text, p_project uuid, p_title text, p_state text, p_fields jsonb, p_entity jsonb, p_change json,
  p_author json, p_at timestamptz, p_quota bigint
) returns void language plpgsql as $$
declare
  v_indexed boolean;
  v_seq bigint;
begin
  insert into entities (id, workspace_id, kind, project_id, version, title, state, fields, created_at, updated_at)
    values (p_id, p_workspace, p_kind, p_project, 1, p_title, p_state, p_fields, p_at, p_at);
  insert into entity_versions (workspace_id, entity_id, version, op, entity, author, at)
    values (p_workspace, p_id, 1, 'create', p_entity, p_author, p_at);
  -- Assignments start no executor, as `perform` would.
  v_indexed := index_later(p_workspace, p_id, 1, entity_text(p_title, p_fields));
  v_seq := record_change(p_workspace, 'entity_patch', p_id, p_change, octet_length(p_entity::text), p_quota);
  -- Last, when the workspace is locked: a removal of the project is in the feed before this change, and seen here, or comes after it.
  perform from entities e
    where e.id = p_project and e.workspace_id = p_workspace and e.kind = 'project' and e.removed_at is null;
  if not found then
    raise exception '%', p_project using errcode = 'CN420';
  end if;
end $$;
