-- A run ends. p_steers is how many steering messages it took in; p_asked says that it has pending approvals, which end with it.
-- See append_with_changes. A concept adds to it by a function on_run_end_<concept>(p_run uuid, p_workspace uuid).
-- Invariant: a run ends once. A run whose cancellation was accepted can only end canceled; a run that was sent messages must
-- take them in before it ends by itself (L4). A violation raises CN001.
create or replace function on_append_end(
  p_run uuid, p_seq integer, p_at timestamptz, p_status text, p_error json, p_usage json, p_cost double precision,
  p_steers integer, p_asked boolean
) returns boolean language plpgsql as $$
declare
  v_rewinds uuid;
  v_ordinal integer;
  v_parent uuid;
  v_reason text;
  v_workspace uuid;
  v_budget uuid;
begin
  update runs set status = p_status, ended_at = p_at, last_seq = p_seq, error = p_error, usage = p_usage, cost = p_cost,
      first_seq = coalesce(first_seq, p_seq - 1)
    where id = p_run and status in ('queued', 'running')
      and (p_status = 'canceled' or (cancel_requested_at is null and steers = coalesce(p_steers, 0)))
    returning case when started_at is null then rewinds end, ordinal, workspace_id, parent_run,
      coalesce(cancel_reason, 'parent_ended'), budget
    into v_rewinds, v_ordinal, v_workspace, v_parent, v_reason, v_budget;
  if not found then
    raise exception 'run % cannot end %', p_run, p_status using errcode = 'CN001';
  end if;
  -- The run never began; the rewind of its message takes effect nevertheless.
  if v_rewinds is not null then
    perform mark_rewound(v_rewinds, v_ordinal);
  end if;
  if p_asked then
    update approvals set decision = 'canceled', decided_at = p_at where run_id = p_run and decision is null;
  end if;
  if v_budget is not null then
    -- A budget is locked before the parent's thread, as by a model call's last append.
    perform from budgets where run_id = v_budget for update;
    perform release_reservations(p_run, null);
  end if;
  perform end_family(p_run, v_parent, v_reason);
  /* each on_run_end_*: perform {function}(p_run, v_workspace); */
  return true;
end $$;
