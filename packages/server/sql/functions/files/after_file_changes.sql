-- Lets other concepts take part in a change of files, in its transaction. Returns what they add to the change feed, an array of
-- `{type, object_id, data}`. Every function that changes files calls this after its rows are written, and before it locks the workspace.
-- A concept adds its part by a function on_file_changes_<concept>(p_workspace uuid, p_files uuid[], p_author json).
create or replace function after_file_changes(p_workspace uuid, p_files uuid[], p_author json) returns jsonb language plpgsql as $$
begin
  return '[]'::jsonb /* each on_file_changes_*: || {function}(p_workspace, p_files, p_author) */;
end $$;
