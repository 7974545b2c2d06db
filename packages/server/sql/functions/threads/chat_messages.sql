-- The audit trail of chats: what people and models said, what models thought, which tools they called, and the results.
-- A projection of the log, so it is always as current as the log and costs nothing to write. (thread_id, seq, part) is a row's
-- key. `offset 0` makes Postgres convert an event to readable JSON once, and not for each column.
create or replace view chat_messages as
  select e.thread_id, e.run_id, e.seq, 0 as part, 'user' as role, 'message' as message_type,
    (m.data ->> 'id')::uuid as message_id, null::uuid as reasoning_id, m.data ->> 'content' as content, m.data -> 'files' as files,
    null::text as ended,
    null::text as call, null::text as tool_name, null::json as tool_arguments, null::json as tool_output, null::boolean as tool_success,
    -- Where the whole output is: GET /api/v1/tool-results/{tool_result}.
    null::text as tool_result,
    e.at as created_at
  from events e
  cross join lateral (select readable(e.data) as data offset 0) m
  where e.type = 'message'
  union all
  -- The reasoning of a turn stands where its run ended. A row never changes once it is there, so a cursor never misses a part of it.
  select e.thread_id, e.run_id, e.seq, 0, 'assistant', 'reasoning_complete', null,
    -- Derived from the ids of the thread and the run, so that it never changes. Version 8 is for UUIDs of one's own making.
    overlay(overlay(md5(e.thread_id || '/' || e.run_id) placing '8' from 13) placing '8' from 17)::uuid,
    r.text, null, null, null, null, null, null, null, null, e.at
  from events e
  cross join lateral (
    select string_agg(p.part ->> 'text', E'\n\n' order by m.seq, p.place) as text
    from events m
    cross join lateral json_array_elements(readable(m.data) -> 'parts') with ordinality as p (part, place)
    where m.thread_id = e.thread_id and m.run_id = e.run_id and m.type = 'message_end' and m.seq < e.seq
      -- The run's first event bounds the scan: without it each run would read the whole log before it.
      and m.seq > (select f.first_seq from runs f where f.id = e.run_id)
      and p.part ->> 'kind' = 'reasoning' and p.part ->> 'text' <> '') r
  where e.type = 'state' and readable(e.data) ->> 'status' <> 'running' and r.text is not null
  union all
  select e.thread_id, e.run_id, e.seq, t.place::int, 'assistant', 'message', null, null,
    m.data ->> 'text', null, m.data ->> 'ended', null, null, null, null, null, null, e.at
  from events e
  cross join lateral (select readable(e.data) as data offset 0) m
  cross join lateral (
    select min(p.place) as place from json_array_elements(m.data -> 'parts') with ordinality as p (part, place)
    where p.part ->> 'kind' = 'text' and p.part ->> 'text' <> '') t
  where e.type = 'message_end' and t.place is not null
  union all
  select e.thread_id, e.run_id, e.seq, p.place::int, 'tool', 'tool_call', null, null, null, null, null,
    p.part ->> 'callId', p.part ->> 'tool',
    -- Arguments that are not JSON are shown as a string.
    case p.part -> 'input' ->> 'kind' when 'json' then p.part -> 'input' -> 'value' else p.part -> 'input' -> 'text' end,
    null, null, null, e.at
  from events e
  cross join lateral json_array_elements(readable(e.data) -> 'parts') with ordinality as p (part, place)
  where e.type = 'message_end' and p.part ->> 'kind' = 'tool_call'
  union all
  select e.thread_id, e.run_id, e.seq, 0, 'tool', 'tool_result', null, null, null, null, null,
    m.data ->> 'call', m.data ->> 'tool', null,
    summarized(m.data -> 'output', m.data ->> 'summary', (select s.tool_summary_lines from audit_settings s)),
    (m.data ->> 'success')::boolean,
    e.run_id || ':' || (m.data ->> 'call'), e.at
  from events e
  cross join lateral (select readable(e.data) as data offset 0) m
  where e.type = 'tool_end'
  union all
  -- What models are told of an interruption. A run that was canceled in the queue said nothing.
  select e.thread_id, e.run_id, e.seq, 0, 'system', 'message', null, null,
    '[System: Response was interrupted by user (' || (readable(e.data) ->> 'reason') || ')]', null, null,
    null, null, null, null, null, null, e.at
  from events e
  where e.type = 'canceled' and e.run_seq > 1;
