-- A run starts. See append_with_changes.
-- Invariant: a run starts once, and only if it still waits (CN001).
create or replace function on_append_start(p_run uuid, p_seq integer, p_at timestamptz) returns boolean language plpgsql as $$
declare
  v_rewinds uuid;
  v_ordinal integer;
begin
  update runs set status = 'running', started_at = p_at, first_seq = p_seq where id = p_run and status = 'queued'
    returning rewinds, ordinal into v_rewinds, v_ordinal;
  if not found then
    raise exception 'run % cannot start', p_run using errcode = 'CN001';
  end if;
  if v_rewinds is not null then
    perform mark_rewound(v_rewinds, v_ordinal);
  end if;
  return true;
end $$;
