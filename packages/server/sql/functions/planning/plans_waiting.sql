-- Invariant: a run that gets a plan without an approval, or whose plan is changed after its approval, is told of once.
create or replace trigger plans_waiting after update on plans for each row
  when (new.run_id is not null and new.hash is not null and new.problems = '[]' and new.hash is distinct from new.approved_hash
    and (old.run_id is distinct from new.run_id or old.hash is not distinct from old.approved_hash))
  execute function plan_waiting();
