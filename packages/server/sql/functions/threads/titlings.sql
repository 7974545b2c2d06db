-- Titles that a model made, with their usage and cost. No run has these figures: only the log tells them.
-- Quotes inside a title are escaped, so the text tells whether there is a usage. A title with a NUL or a lone surrogate, which
-- Postgres cannot look into, is left out; such titles are not written any more.
create or replace view titlings as
  select thread_id, data ->> 'model' as model, data -> 'usage' as usage, (data ->> 'cost')::double precision as cost
  from events
  where type = 'titled' and data::text like '%"usage":{%' and data::text !~* '\\u(0000|d[89a-f])';
