-- What the titles of threads took: told by the log alone, and of no run.

create index events_titled on events (thread_id) where type = 'titled';

-- Titles that a model made. What is in a title is a string, where quotes are escaped: the text tells whether there is a usage.
-- A title with a NUL or a lone surrogate, which the JSON functions refuse, is left out; none is written any more.
create view titlings as
  select thread_id, data ->> 'model' as model, data -> 'usage' as usage, (data ->> 'cost')::double precision as cost
  from events
  where type = 'titled' and data::text like '%"usage":{%' and data::text !~* '\\u(0000|d[89a-f])';
