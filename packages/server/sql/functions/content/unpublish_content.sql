-- Takes a piece of content off, and adds that to the workspace's feed. False if it was not published.
create or replace function unpublish_content(p_workspace uuid, p_type text, p_slug text) returns boolean language plpgsql as $$
declare
  v_file uuid;
begin
  delete from published p where p.workspace_id = p_workspace and p.type = p_type and p.slug = p_slug
    returning p.file_id into v_file;
  if not found then
    return false;
  end if;
  perform record_change(p_workspace, 'content_unpublished', v_file,
    json_build_object('file', v_file, 'type', p_type, 'slug', p_slug), 0, 0);
  return true;
end $$;
