-- Publishes one version of a file, in place of the version that was published before, and adds that to the workspace's feed.
-- A file that was published under another type or slug leaves it. A publication of the piece that waits for its time is done
-- with this: its row goes in the same transaction. CN409: another file is published under this slug.
create or replace function publish_content(
  p_workspace uuid, p_type text, p_slug text, p_file uuid, p_version integer, p_title text, p_fields jsonb, p_body text,
  p_html text, p_shown uuid[], p_shown_versions integer[], p_by json, p_quota bigint
) returns published language plpgsql as $$
declare
  -- The most rows of a piece's history that are kept.
  c_kept constant integer := 100;
  v_row published;
  v_left published;
  v_data json;
  v_before bigint := (select coalesce(sum(published_bytes(p)), 0) from published p
    where p.workspace_id = p_workspace and p.type = p_type and p.slug = p_slug);
begin
  delete from scheduled_publications s where s.workspace_id = p_workspace and s.type = p_type and s.slug = p_slug;
  delete from published p where p.workspace_id = p_workspace and p.file_id = p_file and (p.type, p.slug) <> (p_type, p_slug)
    returning * into v_left;
  insert into published as p (workspace_id, type, slug, file_id, version, title, fields, body, html,
      first_published_at, published_at, published_by)
    values (p_workspace, p_type, p_slug, p_file, p_version, p_title, p_fields, p_body, p_html,
      coalesce(v_left.first_published_at, clock_timestamp()), clock_timestamp(), p_by)
    on conflict (workspace_id, type, slug) do update set version = excluded.version, title = excluded.title,
      fields = excluded.fields, body = excluded.body, html = excluded.html,
      published_at = excluded.published_at, published_by = excluded.published_by
      where p.file_id = excluded.file_id
    returning * into v_row;
  if not found then
    raise exception 'another file is published as %/%', p_type, p_slug using errcode = 'CN409';
  end if;
  delete from shown_files s where s.workspace_id = p_workspace and s.type = p_type and s.slug = p_slug;
  insert into shown_files (workspace_id, type, slug, file_id, version)
    select p_workspace, p_type, p_slug, file, version from unnest(p_shown, p_shown_versions) as shown (file, version);
  update publications p set until = v_row.published_at
    where p.workspace_id = p_workspace and p.type = p_type and p.slug = p_slug and p.until is null;
  insert into publications (workspace_id, type, slug, at, file_id, version, title, published_by)
    values (p_workspace, p_type, p_slug, v_row.published_at, p_file, p_version, p_title, p_by);
  delete from publications p where p.workspace_id = p_workspace and p.type = p_type and p.slug = p_slug and p.at < (
    select o.at from publications o where o.workspace_id = p_workspace and o.type = p_type and o.slug = p_slug
      order by o.at desc offset c_kept - 1 limit 1);
  if v_left.slug is not null then
    perform record_unpublished(v_left);
  end if;
  v_data := json_build_object('workspace_id', p_workspace, 'type', p_type, 'slug', p_slug, 'file_id', p_file,
    'version', p_version, 'title', p_title, 'first_published_at', wire_time(v_row.first_published_at),
    'published_at', wire_time(v_row.published_at));
  /* each on_publication_*: perform {function}(p_workspace, 'content.published', v_data); */
  perform record_change(p_workspace, 'content_published', p_file,
    json_build_object('file', p_file, 'type', p_type, 'slug', p_slug, 'v', p_version),
    published_bytes(v_row) - v_before, p_quota);
  return v_row;
end $$;
