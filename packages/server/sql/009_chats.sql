-- What people read of a chat and answer in it: the audit trail with what was said, and approvals.

-- What is kept in the audit trail of a tool's output: the tool's own summary, or the first 5 lines and 2,000 characters.
create function summarized(p_output json, p_summary text) returns json language plpgsql immutable parallel safe as $$
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
    v_short := array_to_string((string_to_array(left(v_text, 2000), E'\n'))[1:5], E'\n');
  end if;
  return case when v_short = v_text then p_output else to_json(v_short || E'\n[Note: Summarized result]') end;
end $$;

drop view chat_messages;

-- The audit trail: what people and models said, what models thought, what they called, and what came of it. A projection of the
-- log, so that it is always exactly as written as the log is, and costs nothing to write. (thread_id, seq, part) names a row.
-- `offset 0`: an event is made readable once, and not for each column.
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
  select e.thread_id, e.run_id, e.seq, 0, 'assistant', 'reasoning_complete', null,
    -- The same for ever: made of what names the message. Version 8: of our own making.
    overlay(overlay(md5(e.thread_id || '/' || e.run_id || '/' || (m.data ->> 'message')) placing '8' from 13) placing '8' from 17)::uuid,
    r.text, null, null, null, null, null, null, null, null, e.at
  from events e
  cross join lateral (select readable(e.data) as data offset 0) m
  cross join lateral (
    select string_agg(p.part ->> 'text', E'\n\n' order by p.place) as text
    from json_array_elements(m.data -> 'parts') with ordinality as p (part, place)
    where p.part ->> 'kind' = 'reasoning' and p.part ->> 'text' <> '') r
  where e.type = 'message_end' and r.text is not null
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
    -- What a model wrote where it was not JSON is a string.
    case p.part -> 'input' ->> 'kind' when 'json' then p.part -> 'input' -> 'value' else p.part -> 'input' -> 'text' end,
    null, null, null, e.at
  from events e
  cross join lateral json_array_elements(readable(e.data) -> 'parts') with ordinality as p (part, place)
  where e.type = 'message_end' and p.part ->> 'kind' = 'tool_call'
  union all
  select e.thread_id, e.run_id, e.seq, 0, 'tool', 'tool_result', null, null, null, null, null,
    m.data ->> 'call', m.data ->> 'tool', null, summarized(m.data -> 'output', m.data ->> 'summary'), (m.data ->> 'success')::boolean,
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

-- Writes down what a person decided. The run's row is locked first, then the approval's, then the thread's, as by who ends a run. The thread is woken when nothing of the run is undecided any more.
-- `outcome`: decided, too_late (somebody decided before: `answer` is what), run_ended, expired, not_found.
create function decide_approval(
  p_workspace uuid, p_approval uuid, p_decision text, p_input json, p_comment text,
  out outcome text, out answer approvals, out wake boolean, out owner uuid
) language plpgsql as $$
declare
  v_run runs%rowtype;
begin
  wake := false;
  select * into answer from approvals a where a.id = p_approval and a.workspace_id = p_workspace;
  if not found then
    outcome := 'not_found';
    return;
  end if;
  select * into v_run from runs r where r.id = answer.run_id for no key update;
  select * into answer from approvals a where a.id = p_approval for no key update;
  if answer.decision = 'expired' or (answer.decision is null and answer.expires_at <= clock_timestamp()) then
    outcome := 'expired';
  elsif answer.decision = 'canceled' then
    outcome := 'run_ended';
  elsif answer.decision is not null then
    outcome := 'too_late';
  elsif v_run.status <> 'running' or v_run.cancel_requested_at is not null then
    outcome := 'run_ended';
  else
    update approvals a set decision = p_decision, decided_input = p_input, comment = p_comment, decided_at = clock_timestamp()
      where a.id = p_approval returning * into answer;
    outcome := 'decided';
    if not exists (
      select from approvals a where a.run_id = answer.run_id and a.decision is null
        and (a.expires_at is null or a.expires_at > clock_timestamp())
    ) then
      update threads t set wake_at = least(t.wake_at, clock_timestamp()) where t.id = answer.thread_id
        returning t.owner into owner;
      wake := true;
    end if;
  end if;
end $$;

-- Makes a chat with its first run: both or neither. See enqueue_run.
create function open_chat(
  p_workspace uuid, p_title text, p_chat_role text, p_chat_model text,
  p_thread uuid, p_run uuid, p_message uuid, p_content json, p_model text, p_role text, p_limits json, p_pod uuid,
  out owner uuid, out claimed_attempt integer, out workspace_id uuid, out ordinal integer,
  out queued_at timestamptz, out blocked_by uuid, out log_seq integer, out content json, out steered uuid,
  out title_wanted boolean
) language plpgsql as $$
begin
  insert into threads (id, workspace_id, title, role, model, title_wanted)
    values (p_thread, p_workspace, p_title, p_chat_role, p_chat_model, p_title is null);
  select e.* into owner, claimed_attempt, workspace_id, ordinal, queued_at, blocked_by, log_seq, content, steered, title_wanted
    from enqueue_run(p_thread, p_run, p_message, p_content, p_model, p_role, p_limits, null, p_pod, 'enqueue', null) e;
end $$;
