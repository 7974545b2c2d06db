-- Adds a change to the workspace's change feed and returns its seq: what happened (p_type), to which object, and what followers
-- are sent. Also adds p_bytes to the workspace's size. CN404: there is no such workspace. CN413: the workspace would exceed
-- p_quota bytes.
-- Invariant: seq has no gap and no repeat, and commits in order: it comes from the workspace's row, which stays locked until
-- the commit. Callers call this last, so that the lock is held only briefly.
create or replace function record_change(
  p_workspace uuid, p_type text, p_object uuid, p_data json, p_bytes bigint, p_quota bigint
) returns bigint language plpgsql as $$
declare
  v_seq bigint;
  v_bytes bigint;
begin
  update workspaces set change_seq = change_seq + 1, bytes = bytes + p_bytes
    where id = p_workspace and removed_at is null
    returning change_seq, bytes into v_seq, v_bytes;
  if not found then
    raise exception 'no such workspace' using errcode = 'CN404';
  end if;
  if p_bytes > 0 and v_bytes > p_quota then
    raise exception 'the workspace uses % of its % bytes', v_bytes - p_bytes, p_quota using errcode = 'CN413';
  end if;
  insert into changes (workspace_id, seq, type, object_id, data) values (p_workspace, v_seq, p_type, p_object, p_data);
  return v_seq;
end $$;
