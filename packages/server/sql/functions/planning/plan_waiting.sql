-- Trigger function: an open run begins to wait for the approval of its plan. See plans_waiting.
-- A concept adds to it by a function on_plan_waiting_<concept>(p_plan uuid, p_workspace uuid).
create or replace function plan_waiting() returns trigger language plpgsql as $$
begin
  if exists (select from runs r where r.id = new.run_id and r.status in ('queued', 'running')) then
    /* each on_plan_waiting_*: perform {function}(new.id, new.workspace_id); */
    return new;
  end if;
  return new;
end $$;
