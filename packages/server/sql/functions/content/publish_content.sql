-- Publishes one version of a file, in place of the version that was published before, and adds that to the workspace's feed.
-- A file that was published under another type or slug leaves it. A publication of the piece that waits for its time is done
-- with this: its row goes in the same transaction. CN409: another file is published under this slug.
create or replace function publish_content(
  p_workspace uuid, p_type text, p_slug text, p_file uuid, p_version integer, p_title text, p_fields jsonb, p_body text,
  p_html text, p_assets uuid[], p_by json, p_quota bigint
) returns published language plpgsql as $$
declare
  v_row published;
  v_first timestamptz;
  v_bytes bigint := octet_length(p_html) + octet_length(p_body) + octet_length(p_fields::text);
begin
  delete from scheduled_publications s where s.workspace_id = p_workspace and s.type = p_type and s.slug = p_slug;
  delete from published p where p.workspace_id = p_workspace and p.file_id = p_file and (p.type, p.slug) <> (p_type, p_slug)
    returning p.first_published_at into v_first;
  insert into published as p (workspace_id, type, slug, file_id, version, title, fields, body, html, assets,
      first_published_at, published_at, published_by)
    values (p_workspace, p_type, p_slug, p_file, p_version, p_title, p_fields, p_body, p_html, p_assets,
      coalesce(v_first, clock_timestamp()), clock_timestamp(), p_by)
    on conflict (workspace_id, type, slug) do update set version = excluded.version, title = excluded.title,
      fields = excluded.fields, body = excluded.body, html = excluded.html, assets = excluded.assets,
      published_at = excluded.published_at, published_by = excluded.published_by
      where p.file_id = excluded.file_id
    returning * into v_row;
  if not found then
    raise exception 'another file is published as %/%', p_type, p_slug using errcode = 'CN409';
  end if;
  perform record_change(p_workspace, 'content_published', p_file,
    json_build_object('file', p_file, 'type', p_type, 'slug', p_slug, 'v', p_version), v_bytes, p_quota);
  return v_row;
end $$;
