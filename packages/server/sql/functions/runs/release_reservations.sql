-- Gives back what a run has reserved and not spent: for one message, or for all of them (p_message is null).
create or replace function release_reservations(p_run uuid, p_message text) returns void language plpgsql as $$
begin
  with released as (
    delete from reservations r where r.run_id = p_run and (p_message is null or r.message = p_message)
      returning r.budget, r.tokens, r.cost)
  update budgets b set steps = b.steps - s.steps, tokens = b.tokens - s.tokens, cost = b.cost - s.cost
    from (select budget, count(*) as steps, sum(tokens) as tokens, sum(cost) as cost from released group by budget) s
    where b.run_id = s.budget;
end $$;
