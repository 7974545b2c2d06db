-- Ends what was live of a piece in its history, calls the concepts that tell of it, and adds to the workspace's feed that the piece
-- was taken off. The row is gone already.
create or replace function record_unpublished(p_row published) returns void language plpgsql as $$
declare
  v_data json := json_build_object('workspace_id', p_row.workspace_id, 'type', p_row.type, 'slug', p_row.slug,
    'file_id', p_row.file_id);
begin
  update publications p set until = clock_timestamp()
    where p.workspace_id = p_row.workspace_id and p.type = p_row.type and p.slug = p_row.slug and p.until is null;
  /* each on_publication_*: perform {function}(p_row.workspace_id, 'content.unpublished', v_data); */
  perform record_change(p_row.workspace_id, 'content_unpublished', p_row.file_id,
    json_build_object('file', p_row.file_id, 'type', p_row.type, 'slug', p_row.slug), -published_bytes(p_row), 0);
end $$;
