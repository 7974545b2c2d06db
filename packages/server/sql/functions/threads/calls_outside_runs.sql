-- Model calls outside of runs, for titles, summaries and the agent state, with their usage and cost. Only the log tells these figures.
-- Quotes inside a text are escaped, so the text tells whether there is a usage. An event with a NUL or a lone surrogate, which
-- Postgres cannot look into, is left out; such events are not written any more.
create or replace view calls_outside_runs as
  select thread_id, data ->> 'model' as model, data -> 'usage' as usage, (data ->> 'cost')::double precision as cost, at
  from events
  where type in ('titled', 'summary', 'summary_failed', 'agent_state_delta')
    and data::text like '%"usage":{%' and data::text !~* '\\u(0000|d[89a-f])';
