-- Trigger function: refuses a new run in a removed workspace (CN410).
create or replace function refuse_removed() returns trigger language plpgsql as $$
begin
  perform from workspaces w where w.id = new.workspace_id and w.removed_at is not null;
  if found then
    raise exception 'the workspace is removed' using errcode = 'CN410';
  end if;
  return new;
end $$;
