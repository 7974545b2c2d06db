-- A run starts a child run: a thread of its own, its message and its queued run. See append_with_changes.
-- Invariant: the child exists if and only if its parent's log says so (L6). It acts on behalf of its parent's principal.
create or replace function on_append_spawn(
  p_run uuid, p_child_thread uuid, p_child_run uuid, p_message uuid, p_chat_title text, p_role text, p_model text, p_content json,
  p_limits json, p_tools json
) returns boolean language plpgsql as $$
begin
  insert into threads (id, workspace_id, title, role, model, parent_run, depth)
    select p_child_thread, r.workspace_id, p_chat_title, p_role, p_model, p_run, t.depth + 1
    from runs r join threads t on t.id = r.thread_id where r.id = p_run;
  perform enqueue_run(p_child_thread, p_child_run, p_message, p_content, p_model, p_role, p_limits, null, null, 'enqueue', null,
    (select r.principal from runs r where r.id = p_run), null);
  update runs c set parent_run = p_run, tools = p_tools,
      budget = (select coalesce(case when r.limits is not null then r.id end, r.budget) from runs r where r.id = p_run)
    where c.id = p_child_run;
  return true;
end $$;
