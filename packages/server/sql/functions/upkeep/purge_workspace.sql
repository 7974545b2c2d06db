-- Deletes a workspace that was removed before p_before, with its threads and files. Returns false while a run is open there,
-- or if the workspace was restored. The sweep deletes the content that is left without a version.
create or replace function purge_workspace(p_workspace uuid, p_before timestamptz) returns boolean language plpgsql as $$
declare
  v_chunks bytea[];
begin
  perform from workspaces where id = p_workspace and removed_at < p_before for update;
  if not found or exists (
    select from runs r join threads t on t.id = r.thread_id
    where t.workspace_id = p_workspace and r.status in ('queued', 'running')
  ) then
    return false;
  end if;
  perform purge_thread(t.id) from threads t where t.workspace_id = p_workspace;
  select array_agg(distinct c) into v_chunks
    from files f join file_versions v on v.file_id = f.id cross join unnest(v.chunks) c
    where f.workspace_id = p_workspace;
  perform set_config('continuo.purging', 'on', true);
  delete from changes where workspace_id = p_workspace;
  delete from file_versions v using files f where f.id = v.file_id and f.workspace_id = p_workspace;
  perform set_config('continuo.purging', 'off', true);
  delete from file_words w using files f where f.id = w.file_id and f.workspace_id = p_workspace;
  delete from files where workspace_id = p_workspace;
  update chunks set kept = false, touched_at = clock_timestamp() where hash = any (v_chunks);
  delete from idempotency_keys where workspace_id = p_workspace;
  delete from workspaces where id = p_workspace;
  return true;
end $$;
