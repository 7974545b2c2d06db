-- An executor finished an answer, and wants this state back with its next assignment. See append_with_changes.
create or replace function on_append_executor_state(p_run uuid, p_answer text, p_workspace uuid, p_kept json)
returns boolean language plpgsql as $$
begin
  insert into executor_states (run_id, message, workspace_id, state) values (p_run, p_answer, p_workspace, p_kept);
  return true;
end $$;
