-- Everything that a context pack needs from the database, in one statement, so that all of it is of the same moment: of a project,
-- and of one entity in it; without a project, of the projects that changed last. Null if there is no such workspace or project.
-- No content of documents is read. A document is an array, because there may be thousands: id, parent, position, title, description,
-- length, version of the file and path.
create or replace function context_bundle(p_workspace uuid, p_project uuid, p_entity uuid) returns text language plpgsql stable as $$
declare
  v_seq bigint;
  v_policy json;
  v_project entities%rowtype;
  v_about projects%rowtype;
begin
  select w.change_seq, w.policy into v_seq, v_policy from workspaces w where w.id = p_workspace and w.removed_at is null;
  if not found then
    return null;
  end if;
  if p_project is null then
    return json_build_object('feed_seq', v_seq, 'policy', v_policy,
      'count', (select count(*) from entities e where e.workspace_id = p_workspace and e.kind = 'project' and e.removed_at is null),
      'projects', coalesce((select json_agg(json_build_object('id', l.id, 'version', l.version, 'title', l.title, 'state', l.state,
          'purpose', left(l.fields ->> 'purpose', 300), 'path', p.folder,
          'documents', (select count(*) from document_places d where d.project_id = l.id)) order by l.updated_at desc, l.id)
        from (select e.* from entities e where e.workspace_id = p_workspace and e.kind = 'project' and e.removed_at is null
          order by e.updated_at desc, e.id limit 20) l join projects p on p.id = l.id), '[]'))::text;
  end if;
  select e.* into v_project from entities e
    where e.id = p_project and e.workspace_id = p_workspace and e.kind = 'project' and e.removed_at is null;
  if not found then
    return null;
  end if;
  select p.* into v_about from projects p where p.id = p_project;
  return json_build_object('feed_seq', v_seq, 'policy', v_policy, 'folder', v_about.folder, 'structure_version', v_about.structure_version,
    'project', entity_members(v_project, '[]'),
    'counts', coalesce((select json_agg(json_build_array(c.kind, c.state, c.n) order by c.kind, c.state)
      from (select e.kind, e.state, count(*) as n from entities e
        where e.project_id = p_project and e.removed_at is null group by e.kind, e.state) c), '[]'),
    'documents', coalesce((select json_agg(json_build_array(d.id, d.parent_id, d.position, e.title, e.fields -> 'description',
        e.fields -> 'content_length', e.fields -> 'content_version', e.fields -> 'path') order by d.parent_id, d.position)
      from document_places d join entities e on e.id = d.id where d.project_id = p_project), '[]'),
    'changed', coalesce((select json_agg(json_build_object('id', e.id, 'version', e.version, 'kind', e.kind, 'title', e.title,
        'state', e.state, 'path', e.fields -> 'path') order by c.seq desc)
      from (select e.id, c.seq from (select r.object_id, max(r.seq) as seq
          from (select n.object_id, n.seq from changes n where n.workspace_id = p_workspace order by n.seq desc limit 100) r
          group by r.object_id) c
        join entities e on e.id = c.object_id and e.project_id = p_project and e.removed_at is null
        order by c.seq desc limit 8) c join entities e on e.id = c.id), '[]'),
    'entity', (select entity_members(e, '[]') from entities e
      where e.id = p_entity and e.project_id = p_project and e.workspace_id = p_workspace and e.removed_at is null),
    'links', coalesce((select json_agg(json_build_object('rel', l.rel, 'outgoing', l.outgoing, 'id', o.id, 'version', o.version,
        'kind', o.kind, 'title', o.title, 'state', o.state, 'path', o.fields -> 'path') order by l.id)
      from (select g.id, g.rel, g.from_id = p_entity as outgoing, case g.from_id when p_entity then g.to_id else g.from_id end as other
        from edges g where g.from_id = p_entity or g.to_id = p_entity order by g.id limit 50) l
      join entities o on o.id = l.other and o.removed_at is null), '[]'))::text;
end $$;
