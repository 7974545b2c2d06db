-- Counts a change of a project's document structure, and returns it for the feed: a patch of `{version, root}`.
create or replace function structure_patch(p_project uuid, p_patch jsonb, p_author json) returns jsonb language plpgsql as $$
declare
  v_version integer;
begin
  update projects p set structure_version = p.structure_version + 1 where p.id = p_project
    returning p.structure_version into v_version;
  return jsonb_build_object('type', 'entity_patch', 'object_id', p_project, 'data', jsonb_build_object(
    'entity_type', 'doc_structure', 'entity_id', p_project, 'project_id', p_project, 'version', v_version,
    'patch', p_patch || jsonb_build_object('op', 'replace', 'path', '/version', 'value', v_version), 'author', p_author));
end $$;
