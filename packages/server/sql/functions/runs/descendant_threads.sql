-- The threads that the runs of a thread opened for child runs, at any depth.
create or replace function descendant_threads(p_thread uuid) returns table (thread uuid) language sql stable as $$
  with recursive family as (
    select t.id from threads t join runs r on r.id = t.parent_run where r.thread_id = p_thread
    union all
    select t.id from family f join runs r on r.thread_id = f.id join threads t on t.parent_run = r.id)
  select id from family
$$;
