-- What the audit trail shows of a tool's output: the tool's own summary, or the first p_lines lines, 2,000 characters at most.
-- An output that is short enough is returned unchanged; a shortened one ends with a note that says so.
create or replace function summarized(p_output json, p_summary text, p_lines integer) returns json language plpgsql immutable parallel safe as $$
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
