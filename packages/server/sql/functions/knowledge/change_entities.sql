-- Changes entities and edges, all or none, and adds the changes to the workspace's feed. Each change names its op:
--   create   {id, kind, project_id, title, state, fields, folder?, folded?, linked?}
--                                                      the folder is a project's; `linked`: there are edges to it already
--   update   {id, base, title, state, fields}          the whole entity as it shall be; `base` is the version it was made from
--   remove   {id, base}                                `base` null: whatever version it has
--   restore  {id, base}
--   link     {id, from_id, to_id, rel, acyclic}        `id` is the edge's
--   unlink   {id}
-- `changes` are the rows of the feed, `states` the entities after the change, in order.
-- CN420: the message is the id of an entity, project or edge that is not there. CN412: the message is the id of an entity that is
-- at another version. CN422: the message says why the change makes no sense.
-- Invariants: an entity's versions have no gap; an entity, its version and its patch commit together (L6). Locks: entities by id,
-- their projects, the workspace.
create or replace function change_entities(
  p_workspace uuid, p_changes jsonb, p_author json, p_at timestamptz, p_quota bigint,
  out changes jsonb, out states jsonb, out seq bigint
) language plpgsql as $$
declare
  v record;
  v_edge edges;
  v_entity entities;
  v_state jsonb;
  v_ids uuid[];
  v_olds jsonb[];
  v_bytes bigint := 0;
  v_projects uuid[] := '{}';
  v_project uuid;
  v_indexed boolean;
begin
  changes := '[]';
  states := '[]';
  if p_changes @? '$[*] ? (@.op != "create")' then
    perform from entities e
      where e.id in (
        select unnest(array[c.id, c.from_id, c.to_id]) from jsonb_to_recordset(p_changes) as c (id uuid, from_id uuid, to_id uuid)
        union all
        select unnest(array[g.from_id, g.to_id])
        from jsonb_to_recordset(p_changes) as c (op text, id uuid) join edges g on g.id = c.id where c.op = 'unlink')
      order by e.id for update;
  end if;

  for v in
    select * from jsonb_to_recordset(p_changes) as c (
      op text, id uuid, kind text, project_id uuid, title text, state text, fields jsonb, folder text, folded text,
      base integer, from_id uuid, to_id uuid, rel text,
      acyclic boolean, linked boolean)
  loop
    v_ids := array[v.id];
    case v.op
    when 'create' then
      if v.project_id is not null and v.project_id <> all (v_projects) then
        v_projects := v_projects || v.project_id;
      end if;
      if v.kind = 'project' then
        insert into projects (id, workspace_id, folder, folded) values (v.id, p_workspace, v.folder, v.folded);
      end if;
      insert into entities (id, workspace_id, kind, project_id, version, title, state, fields, created_at, updated_at)
        values (v.id, p_workspace, v.kind, v.project_id, 1, v.title, v.state, v.fields, p_at, p_at)
        returning * into v_entity;
      v_olds := array[null::jsonb];
    when 'update', 'remove', 'restore' then
      select * into v_entity from entities e where e.id = v.id and e.workspace_id = p_workspace;
      if not found or (v_entity.removed_at is null) = (v.op = 'restore') then
        raise exception '%', v.id using errcode = 'CN420';
      end if;
      if v.base <> v_entity.version then
        raise exception '%', v.id using errcode = 'CN412';
      end if;
      if v_entity.project_id is not null then
        perform from entities e where e.id = v_entity.project_id and e.removed_at is null for share;
        if not found then
          raise exception '%', v_entity.project_id using errcode = 'CN420';
        end if;
      end if;
      v_olds := array[entity_state(v_entity)];
      if v.op = 'update' then
        update entities e set title = v.title, state = v.state, fields = v.fields where e.id = v.id;
      else
        update entities e set removed_at = case v.op when 'remove' then p_at end where e.id = v.id;
      end if;
    when 'link' then
      v_ids := array[v.from_id, v.to_id];
      v_olds := linkable_states(p_workspace, v_ids);
      if v.acyclic then
        -- Two edges that are added at the same time could close a cycle that neither of them sees.
        perform pg_advisory_xact_lock(4403, hashtext(p_workspace::text));
        if closes_cycle(v.from_id, v.to_id, v.rel) then
          raise exception '% would go in a circle: the entity at its end leads back to the one at its start', v.rel
            using errcode = 'CN422';
        end if;
      end if;
      insert into edges (id, workspace_id, from_id, to_id, rel, created_at)
        values (v.id, p_workspace, v.from_id, v.to_id, v.rel, p_at) on conflict do nothing;
      if not found then
        raise exception 'these two are linked by % already', v.rel using errcode = 'CN422';
      end if;
    when 'unlink' then
      select * into v_edge from edges g where g.id = v.id and g.workspace_id = p_workspace for update;
      if not found then
        raise exception '%', v.id using errcode = 'CN420';
      end if;
      v_ids := array[v_edge.from_id, v_edge.to_id];
      select array_agg(entity_state(e) order by array_position(v_ids, e.id)) into v_olds from entities e where e.id = any (v_ids);
      delete from edges g where g.id = v.id;
    end case;

    for i in 1 .. cardinality(v_ids) loop
      if v.op <> 'create' then
        update entities e set version = e.version + 1, updated_at = p_at where e.id = v_ids[i] returning * into v_entity;
      end if;
      v_state := case when v.op = 'create' and v.linked is not true then entity_members(v_entity, '[]')
        else entity_state(v_entity) end;
      if v_entity.kind not in ('document', 'plan') then
        insert into entity_versions (workspace_id, entity_id, version, op, entity, author, at)
          values (p_workspace, v_entity.id, v_entity.version, v.op, v_state, p_author, p_at);
        if v.op in ('create', 'update', 'remove', 'restore') then
          v_indexed := index_later(p_workspace, v_entity.id, v_entity.version,
            case when v_entity.removed_at is null then entity_text(v_entity.title, v_entity.fields) end);
        end if;
      end if;
      v_bytes := v_bytes + octet_length(v_state::text);
      states := states || v_state;
      changes := changes || entity_patch(v_olds[i], v_state, v_entity, p_author);
    end loop;
  end loop;
  seq := record_changes(p_workspace, changes, v_bytes, p_quota);
  -- Last, when the workspace is locked: a removal of the project is in the feed before this change, and seen here, or comes after it.
  foreach v_project in array v_projects loop
    perform from entities e
      where e.id = v_project and e.workspace_id = p_workspace and e.kind = 'project' and e.removed_at is null;
    if not found then
      raise exception '%', v_project using errcode = 'CN420';
    end if;
  end loop;
end $$;
