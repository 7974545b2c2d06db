-- What webhooks are told about a plan: where it is, how many of its steps have each status, and what they cost.
create or replace function plan_message(p_plan uuid) returns json language sql stable as $$
  select json_build_object('workspace_id', p.workspace_id, 'plan_id', p.id, 'path', f.path, 'version', p.file_version, 'state', p.state,
      'chat_id', p.chat_id, 'run_id', p.run_id, 'steps', coalesce(s.counts, '{}'), 'cost', s.cost)
    from plans p left join files f on f.id = p.id cross join lateral (
      select json_object_agg(c.status, c.n) as counts, sum(c.cost) as cost from (
        select t.status, count(*)::int as n, sum(t.cost) as cost from plan_steps t
        where t.plan_id = p.id and t.position is not null group by t.status) c) s
    where p.id = p_plan
$$;
