-- Deletes a workspace's idempotency keys. Its runs go with their threads. See purge_workspace.
create or replace function on_purge_workspace_runs(p_workspace uuid) returns void language plpgsql as $$
begin
  delete from idempotency_keys where workspace_id = p_workspace;
end $$;
