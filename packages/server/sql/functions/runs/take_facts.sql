-- Gives a thread's owner the facts: what others want of the thread. Clears wake_at first, so that a later fact sets it again.
-- Returns a row for the run that has started, with the messages that it was sent and the decisions about its calls; for the next
-- queued run, with its message; and for queued runs that were canceled. Without any such run there is one row, about the
-- thread alone. `is_child`: a run opened the thread for a child, and nobody else has written there. `family` is for a run with a parent or a directive, with the children that ended unreported. `rewind_to` is the seq before the first started run that is rewound, or null.
-- Invariants: an approval expires here or is decided, never both: the row's lock decides. Approvals are locked before their
-- thread, as decide_approval does. A freed thread keeps its attempt until it is claimed; its wake_at is left for that claim.
create or replace function take_facts(p_thread uuid, p_attempt integer)
returns table (
  workspace_id uuid, stop boolean, pinged_at timestamptz, title_wanted boolean, state_edits json,
  id uuid, ordinal integer, model text, role text, limits json, queued_at timestamptz, cancel_reason text,
  message_id uuid, content json, pause boolean, rewind_to integer, steers json, decisions json,
  principal json, family json, is_child boolean
) language plpgsql as $$
begin
  -- The row's lock decides between a late answer and none. Approvals are locked before their thread, as by who decides.
  update approvals a set decision = 'expired', decided_at = clock_timestamp()
    where a.thread_id = p_thread and a.decision is null and a.expires_at <= clock_timestamp();
  update threads t set wake_at = null
    where t.id = p_thread and t.attempt = p_attempt and t.owner is not null and t.wake_at is not null;
  return query
    select t.workspace_id, t.stop_requested_at is not null, t.pinged_at, t.title_wanted,
      case when cardinality(t.state_edits) > 0 then array_to_json(t.state_edits) end,
      r.id, r.ordinal, r.model, r.role, r.limits, r.queued_at, r.cancel_reason, r.message_id, m.content,
      r.pause_requested_at is not null,
      case when r.rewinds is not null then (
        select min(b.first_seq) - 1 from runs w
        join runs b on b.thread_id = p_thread and b.ordinal >= w.ordinal and b.ordinal < r.ordinal and b.started_at is not null
        where w.id = r.rewinds) end,
      case when r.steers > 0 then (
        select json_agg(json_build_object('id', s.id, 'content', s.content) order by s.seq)
        from messages s where s.thread_id = p_thread and s.run_id = r.id and s.seq >= 2000000000) end,
      case when r.status = 'running' then (
        select json_agg(json_build_object(
          'approval', a.id, 'decision', a.decision, 'input', a.decided_input, 'comment', a.comment))
        from approvals a where a.run_id = r.id and a.decision is not null) end,
      r.principal,
      case when r.directive is not null or r.parent_run is not null then json_build_object(
        'directive', r.directive, 'depth', t.depth, 'tools', r.tools,
        'budget', (select json_build_object('run', b.id, 'limits', b.limits) from runs b where b.id = r.budget),
        'parentRun', r.parent_run, 'rootRun', root_run(r.parent_run),
        'parentThread', (select p.thread_id from runs p where p.id = r.parent_run),
        'ended', (
          select json_agg(json_build_object(
            'run', c.id, 'thread', c.thread_id, 'status', c.status, 'error', c.error, 'usage', c.usage, 'cost', c.cost)
            order by c.ended_at, c.id)
          from runs c where c.parent_run = r.id and not c.reported and c.status in ('done', 'error', 'canceled'))) end,
      t.parent_run is not null and not exists (
        select from runs o where o.thread_id = p_thread and o.parent_run is null)
    from threads t
    left join runs r on r.thread_id = t.id and r.status in ('queued', 'running')
      and (r.status = 'running' or r.cancel_requested_at is not null or r.ordinal = (
        select min(n.ordinal) from runs n
        where n.thread_id = p_thread and n.status = 'queued' and n.cancel_requested_at is null))
    left join messages m on m.id = r.message_id and r.status = 'queued' and r.cancel_requested_at is null
    where t.id = p_thread
    order by r.ordinal;
end $$;
