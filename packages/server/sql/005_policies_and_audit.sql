-- What agents may do in a workspace: {rules}. Null: the server's default.
alter table workspaces add column policy json;

-- The log keeps NUL and lone surrogates as JSON escapes; what looks into JSON refuses the whole value for one of them. They
-- become U+FFFD here. A surrogate that has its other half is stored as the character itself, so every escape of one is alone.
create function readable(p_data json) returns json language sql immutable parallel safe as $$
  select case when p_data::text ~ '\\u(0000|d[89a-f])'
    then regexp_replace(p_data::text, '(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})', '\1\\ufffd', 'g')::json
    else p_data end
$$;

-- The audit trail: what models thought, what they called, and what came of it. A projection of the log, so that it is always
-- exactly as written as the log is, and costs nothing to write. (thread_id, seq, part) names a row.
create view chat_messages as
  select e.thread_id, e.run_id, e.seq, 0 as part, 'assistant' as role, 'reasoning_complete' as message_type,
    -- The same for ever: made of what names the message. Version 8: of our own making.
    overlay(overlay(md5(e.thread_id || '/' || e.run_id || '/' || (m.data ->> 'message')) placing '8' from 13) placing '8' from 17)::uuid
      as reasoning_id,
    r.text as content,
    null::text as call, null::text as tool_name, null::json as tool_arguments, null::json as tool_output, null::boolean as tool_success,
    e.at as created_at
  from events e
  cross join lateral (select readable(e.data) as data) m
  cross join lateral (
    select string_agg(p.part ->> 'text', E'\n\n' order by p.place) as text
    from json_array_elements(m.data -> 'parts') with ordinality as p (part, place)
    where p.part ->> 'kind' = 'reasoning' and p.part ->> 'text' <> '') r
  where e.type = 'message_end' and r.text is not null
  union all
  select e.thread_id, e.run_id, e.seq, p.place::int, 'tool', 'tool_call', null, null,
    p.part ->> 'callId', p.part ->> 'tool',
    -- What a model wrote where it was not JSON is a string.
    case p.part -> 'input' ->> 'kind' when 'json' then p.part -> 'input' -> 'value' else p.part -> 'input' -> 'text' end,
    null, null, e.at
  from events e
  cross join lateral json_array_elements(readable(e.data) -> 'parts') with ordinality as p (part, place)
  where e.type = 'message_end' and p.part ->> 'kind' = 'tool_call'
  union all
  select e.thread_id, e.run_id, e.seq, 0, 'tool', 'tool_result', null, null,
    m.data ->> 'call', m.data ->> 'tool', null, m.data -> 'output', (m.data ->> 'success')::boolean, e.at
  from events e
  cross join lateral (select readable(e.data) as data) m
  where e.type = 'tool_end';
