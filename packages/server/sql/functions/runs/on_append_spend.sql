-- A model call has spent what its usage says, instead of what was reserved for it. See append_with_changes.
create or replace function on_append_spend(p_run uuid, p_reserved_for text, p_tokens bigint, p_cost double precision)
returns boolean language plpgsql as $$
begin
  perform release_reservations(p_run, p_reserved_for);
  update budgets b set steps = b.steps + 1, tokens = b.tokens + p_tokens, cost = b.cost + coalesce(p_cost, 0)
    where b.run_id = (select r.budget from runs r where r.id = p_run);
  return found;
end $$;
