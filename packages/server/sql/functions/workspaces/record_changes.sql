-- Adds several changes to the workspace's change feed, in order, like record_change. p_changes is an array of
-- `{type, object_id, data}`. Returns the seq of the last one; null if there are none.
create or replace function record_changes(p_workspace uuid, p_changes jsonb, p_bytes bigint, p_quota bigint)
returns bigint language plpgsql as $$
declare
  v_count integer := jsonb_array_length(p_changes);
  v_seq bigint;
  v_bytes bigint;
begin
  if v_count = 0 then
    return null;
  end if;
  if v_count = 1 then
    return record_change(p_workspace, p_changes -> 0 ->> 'type', (p_changes -> 0 ->> 'object_id')::uuid,
      (p_changes -> 0 -> 'data')::json, p_bytes, p_quota);
  end if;
  update workspaces set change_seq = change_seq + v_count, bytes = bytes + p_bytes
    where id = p_workspace and removed_at is null
    returning change_seq, bytes into v_seq, v_bytes;
  if not found then
    raise exception 'no such workspace' using errcode = 'CN404';
  end if;
  if p_bytes > 0 and v_bytes > p_quota then
    raise exception 'the workspace holds % bytes of its %', v_bytes - p_bytes, p_quota using errcode = 'CN413';
  end if;
  insert into changes (workspace_id, seq, type, object_id, data)
    select p_workspace, v_seq - v_count + c.n, c.change ->> 'type', (c.change ->> 'object_id')::uuid, (c.change -> 'data')::json
    from jsonb_array_elements(p_changes) with ordinality c (change, n);
  return v_seq;
end $$;
