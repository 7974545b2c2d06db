-- A webhook with a plan is told only about that plan.
alter table webhooks add column plan_id uuid references plans (id) on delete cascade;
