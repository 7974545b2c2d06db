-- Trigger function: refuses UPDATE, DELETE and TRUNCATE of an append-only table.
-- Invariant: a committed event never changes (L2). The purge functions set continuo.purging to delete whole threads and
-- workspaces.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('continuo.purging', true) = 'on' then
    return null;
  end if;
  raise exception 'the log is append-only: % of % refused', lower(tg_op), tg_table_name
    using errcode = 'CN002', hint = 'purge_thread(id) deletes a whole thread.';
end $$;
