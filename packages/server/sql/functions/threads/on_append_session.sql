-- A session begins or changes its state. The end of a session settles a request to stop the thread. See append_with_changes.
create or replace function on_append_session(p_thread uuid, p_at timestamptz, p_id uuid, p_state text, p_reason text)
returns boolean language plpgsql as $$
begin
  insert into sessions (id, workspace_id, thread_id, state, reason, started_at, changed_at)
    values (p_id, (select t.workspace_id from threads t where t.id = p_thread), p_thread, p_state, p_reason, p_at, p_at)
    on conflict (id) do update set state = excluded.state, reason = excluded.reason, changed_at = excluded.changed_at;
  if p_state in ('error', 'cancelled', 'completed') then
    update threads set stop_requested_at = null where id = p_thread and stop_requested_at is not null;
  end if;
  return true;
end $$;
