-- The title and description of a document, from the front matter of its file, and the length of what follows it in bytes, without the
-- empty line between. Without a title there, the name of the file is the title. `is_plan`: it has the key `plan`; `goal` is then its
-- goal, unless it has a title. Reads plain and quoted values, and blocks (`|`, `>`) as
-- one line; other keys are somebody else's. Front matter longer than 16 KiB is content, as in knowledge/front-matter.ts.
create or replace function document_head(p_file files, out title text, out description text, out content_length bigint,
  out is_plan boolean, out goal text)
language plpgsql stable as $$
declare
  v_data bytea;
  v_begin integer;
  v_at integer;
  v_next integer;
  v_found integer;
  v_line text;
  v_key text;
  v_value text;
  v_block text;
  v_is_titled boolean := false;
begin
  is_plan := false;
  title := regexp_replace(substring(p_file.path from '[^/]*$'), '\.(md|plan)$', '', 'i');
  content_length := p_file.size;
  select substring(k.data from 1 for 16384) into v_data
    from file_versions v join chunks k on k.hash = v.chunks[1]
    where v.file_id = p_file.id and v.version = p_file.version and v.is_text;
  v_begin := case when substring(v_data from 1 for 3) = '\xefbbbf' then 4 else 1 end;
  if v_data is null or substring(v_data from v_begin for 3) <> '\x2d2d2d' then
    return;
  end if;
  -- The end of the first line, then of the first later line that is a fence too. `v_at` is before a line, `v_next` after its end.
  v_at := end_of_fence(v_data, v_begin);
  if v_at is null then
    return;
  end if;
  v_begin := v_at;
  v_next := end_of_fence(v_data, v_at);
  while v_next is null loop
    v_found := position('\x0a'::bytea in substring(v_data from v_at));
    if v_found = 0 then
      return;
    end if;
    v_at := v_at + v_found;
    v_next := end_of_fence(v_data, v_at);
  end loop;
  content_length := greatest(0, p_file.size - (v_next - 1)
    - case when substring(v_data from v_next for 2) = '\x0d0a' then 2
        when substring(v_data from v_next for 1) = '\x0a' then 1 else 0 end);

  foreach v_line in array
    string_to_array(replace(convert_from(substring(v_data from v_begin for v_at - v_begin), 'UTF8'), E'\r\n', E'\n'), E'\n')
  loop
    if v_block is not null and v_line ~ '^\s' then
      v_value := btrim(v_line);
      if v_block = 'title' then
        title := concat_ws(' ', nullif(title, ''), v_value);
      elsif v_block = 'goal' then
        goal := concat_ws(' ', nullif(goal, ''), v_value);
      else
        description := concat_ws(' ', nullif(description, ''), v_value);
      end if;
      continue;
    end if;
    v_block := null;
    is_plan := is_plan or v_line ~ '^plan\s*:';
    v_key := substring(v_line from '^(title|description|goal)\s*:');
    continue when v_key is null;
    v_value := regexp_replace(btrim(substring(v_line from '^[a-z]+\s*:(.*)$')), '^&\S+\s+', '');
    if v_value ~ '^[|>][+-]?$' then
      v_block := v_key;
      v_value := '';
    elsif v_value ~ '^"([^"\\]|\\.)*"\s*(#.*)?$' then
      v_value := substring(v_value from '^("(?:[^"\\]|\\.)*")');
      -- Postgres 15 has no pg_input_is_valid.
      begin
        v_value := v_value::jsonb #>> '{}';
      exception when data_exception then
        v_value := substring(v_value from 2 for length(v_value) - 2);
      end;
    elsif v_value ~ '^''([^'']|'''')*''\s*(#.*)?$' then
      v_value := replace(substring(v_value from '^''((?:[^'']|'''')*)'''), '''''', '''');
    else
      v_value := regexp_replace(v_value, '(^|\s+)#.*$', '');
    end if;
    if v_key = 'title' then
      title := v_value;
      v_is_titled := v_value <> '' or v_block is not null;
    elsif v_key = 'goal' then
      goal := v_value;
    else
      description := v_value;
    end if;
  end loop;
  title := btrim(regexp_replace(title, '\s+', ' ', 'g'));
  title := left(coalesce(nullif(title, ''), regexp_replace(substring(p_file.path from '[^/]*$'), '\.(md|plan)$', '', 'i')), 200);
  goal := case when not v_is_titled then left(nullif(btrim(regexp_replace(goal, '\s+', ' ', 'g')), ''), 200) end;
  description := left(nullif(btrim(description), ''), 2000);
end $$;
