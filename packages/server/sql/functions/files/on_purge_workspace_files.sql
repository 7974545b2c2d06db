-- Deletes a workspace's files with their versions and words. The sweep deletes the content that is left without a version.
-- See purge_workspace.
create or replace function on_purge_workspace_files(p_workspace uuid) returns void language plpgsql as $$
declare
  v_chunks bytea[];
begin
  -- First: waits for an indexer, and leaves the next one nothing to index.
  perform pg_advisory_xact_lock(4404, hashtext(p_workspace::text));
  delete from unindexed where workspace_id = p_workspace;
  select array_agg(distinct c) into v_chunks
    from files f join file_versions v on v.file_id = f.id cross join unnest(v.chunks) c
    where f.workspace_id = p_workspace;
  perform set_config('continuo.purging', 'on', true);
  delete from file_versions v using files f where f.id = v.file_id and f.workspace_id = p_workspace;
  perform set_config('continuo.purging', 'off', true);
  delete from indexed_texts where workspace_id = p_workspace;
  delete from vocabulary where workspace_id = p_workspace;
  delete from files where workspace_id = p_workspace;
  update chunks set kept = false, touched_at = clock_timestamp() where hash = any (v_chunks);
end $$;
