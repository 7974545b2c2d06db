-- Takes a piece of content off, and adds that to the workspace's feed. A publication of it that waits for its time is canceled.
-- False if it was neither published nor scheduled.
create or replace function unpublish_content(p_workspace uuid, p_type text, p_slug text) returns boolean language plpgsql as $$
declare
  v_row published;
  v_scheduled boolean;
begin
  delete from scheduled_publications s where s.workspace_id = p_workspace and s.type = p_type and s.slug = p_slug;
  v_scheduled := found;
  delete from published p where p.workspace_id = p_workspace and p.type = p_type and p.slug = p_slug
    returning * into v_row;
  if not found then
    return v_scheduled;
  end if;
  perform record_unpublished(v_row);
  return true;
end $$;
