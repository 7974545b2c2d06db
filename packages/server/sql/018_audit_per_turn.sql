-- The audit trail as it is read: one row of reasoning for each turn (a run), and summaries as long as CONTINUO_TOOL_SUMMARY_LINES says.

-- What the view needs to know of the server's settings; one row. Each pod writes its own setting when it starts.
create table audit_settings (
  only_row boolean primary key default true check (only_row),
  tool_summary_lines integer not null default 5 check (tool_summary_lines between 1 and 1000)
);
insert into audit_settings default values;

drop view chat_messages;
drop function summarized(json, text);

-- What the audit trail shows of a tool's output: the tool's own summary, or the first lines and 2,000 characters.
create function summarized(p_output json, p_summary text, p_lines integer) returns json language plpgsql immutable parallel safe as $$
declare
  v_text text;
  v_short text := p_summary;
begin
  case json_typeof(p_output)
  when 'string' then
    v_text := p_output #>> '{}';
  when 'object' then
    if json_typeof(p_output -> 'text') = 'string' then
      v_text := p_output ->> 'text';
    else
      select case when count(*) = 1 and min(json_typeof(o.value)) = 'string' then min(o.value #>> '{}') end
        into v_text from json_each(p_output) o;
    end if;
  else
  end case;
  v_text := coalesce(v_text, p_output::text);
  if v_short is null then
    v_short := array_to_string((string_to_array(left(v_text, 2000), E'\n'))[1:p_lines], E'\n');
  end if;
  return case when v_short = v_text then p_output else to_json(v_short || E'\n[Note: Summarized result]') end;
end $$;

-- The audit trail: what people and models said, what models thought, what they called, and what came of it. The view is a projection
-- of the log, so it is always exactly as current as the log, and costs nothing to write. (thread_id, seq, part) names a row.
-- `offset 0` makes Postgres convert an event to readable JSON once, and not for each column.
create view chat_messages as
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
