-- Records that a version of an object is to be indexed. p_text is the text of an object that is not a file; null for a file, whose text
-- is its content, and for an object that was removed. Returns true, so that it can be called by an assignment, which starts no executor.
create or replace function index_later(p_workspace uuid, p_object uuid, p_version integer, p_text text)
returns boolean language plpgsql as $$
begin
  insert into unindexed (workspace_id, object_id, version, text) values (p_workspace, p_object, p_version, p_text);
  return true;
end $$;
