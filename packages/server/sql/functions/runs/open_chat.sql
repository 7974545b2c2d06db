-- Creates a chat together with its first run. See enqueue_run.
-- Invariant: both exist, or neither.
create or replace function open_chat(
  p_workspace uuid, p_title text, p_chat_role text, p_chat_model text,
  p_thread uuid, p_run uuid, p_message uuid, p_content json, p_model text, p_role text, p_limits json, p_pod uuid,
  p_principal json, p_mode text, p_directive json,
  out owner uuid, out claimed_attempt integer, out workspace_id uuid, out ordinal integer,
  out queued_at timestamptz, out blocked_by uuid, out log_seq integer, out content json, out steered uuid,
  out title_wanted boolean
) language plpgsql as $$
begin
  insert into threads (id, workspace_id, title, role, model, mode, title_wanted)
    values (p_thread, p_workspace, p_title, p_chat_role, p_chat_model, p_mode, p_title is null);
  select e.* into owner, claimed_attempt, workspace_id, ordinal, queued_at, blocked_by, log_seq, content, steered, title_wanted
    from enqueue_run(p_thread, p_run, p_message, p_content, p_model, p_role, p_limits, null, p_pod, 'enqueue', null,
      p_principal, p_directive) e;
end $$;
