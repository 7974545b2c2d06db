-- Reserves what a model call may spend at most from a budget. `granted` is the maximum of output tokens for the call; if it would be
-- less than p_least, nothing is reserved, and `refused` is the limit that is reached: step_limit, token_limit, cost_limit.
-- p_input: the estimated input tokens; p_input_cost their cost; p_output_price the price of an output token.
-- Invariant: what is spent and reserved together is within the limits. A call can exceed its reservation only by the error of its
-- input estimate. The budget's row lock puts reservations in order.
create or replace function reserve_budget(
  p_budget uuid, p_run uuid, p_message text, p_input integer, p_output integer, p_least integer,
  p_input_cost double precision, p_output_price double precision, out granted integer, out refused text
) language plpgsql as $$
declare
  v budgets;
  v_limits json;
begin
  insert into budgets (run_id, workspace_id) select r.id, r.workspace_id from runs r where r.id = p_budget on conflict do nothing;
  select * into v from budgets b where b.run_id = p_budget for update;
  -- A message that was reserved for before is asked for again.
  perform release_reservations(p_run, p_message);
  select * into v from budgets b where b.run_id = p_budget;
  select r.limits into v_limits from runs r where r.id = p_budget;
  granted := p_output;
  if v.steps >= (v_limits ->> 'steps')::integer then
    refused := 'step_limit';
    return;
  end if;
  if (v_limits ->> 'tokens') is not null then
    granted := greatest(0, least(granted, (v_limits ->> 'tokens')::bigint - v.tokens - p_input));
    if granted < p_least then
      refused := 'token_limit';
      return;
    end if;
  end if;
  if (v_limits ->> 'cost') is not null then
    if p_output_price > 0 then
      granted := greatest(0, least(granted,
        floor(((v_limits ->> 'cost')::double precision - v.cost - p_input_cost) / p_output_price)));
    elsif v.cost + p_input_cost > (v_limits ->> 'cost')::double precision then
      granted := 0;
    end if;
    if granted < p_least then
      refused := 'cost_limit';
      return;
    end if;
  end if;
  insert into reservations (run_id, message, workspace_id, budget, tokens, cost)
    values (p_run, p_message, v.workspace_id, p_budget, p_input + granted, p_input_cost + granted * p_output_price);
  update budgets b set steps = b.steps + 1, tokens = b.tokens + p_input + granted,
      cost = b.cost + p_input_cost + granted * p_output_price
    where b.run_id = p_budget;
end $$;
