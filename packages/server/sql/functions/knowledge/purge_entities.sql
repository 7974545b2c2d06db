-- Deletes the entities that were removed before p_before, with their versions and edges; a project with all that is in it. The files of
-- documents stay, as removed files do. The other end of a deleted edge gets a new version. Returns how many entities were deleted.
-- A concept that keeps something about entities deletes it by a function on_purge_entities_<concept>(p_ids uuid[]).
create or replace function purge_entities(p_workspace uuid, p_before timestamptz) returns integer language plpgsql as $$
declare
  v_ids uuid[];
  v_edge record;
begin
  select array_agg(e.id) into v_ids from entities e left join entities p on p.id = e.project_id
    where e.workspace_id = p_workspace and (e.removed_at < p_before or p.removed_at < p_before);
  if v_ids is null then
    return 0;
  end if;
  perform change_entities(p_workspace, (
      select jsonb_agg(jsonb_build_object('op', 'unlink', 'id', g.id))
      from edges g where g.from_id = any (v_ids) or g.to_id = any (v_ids)),
    '{"kind": "person"}', clock_timestamp(), 9223372036854775807)
    where exists (select from edges g where g.from_id = any (v_ids) or g.to_id = any (v_ids));
  perform index_later(p_workspace, e.id, e.version + 1, null) from entities e where e.id = any (v_ids) and e.kind not in ('document', 'plan');
  delete from document_places d where d.id = any (v_ids);
  delete from projects p where p.id = any (v_ids);
  delete from entity_versions v where v.entity_id = any (v_ids);
  delete from entities e where e.id = any (v_ids);
  /* each on_purge_entities_*: perform {function}(v_ids); */
  return cardinality(v_ids);
end $$;
