-- What an entity that is not a file is found by: its title and the texts of its fields, one to a line.
create or replace function entity_text(p_title text, p_fields jsonb) returns text language plpgsql stable as $$
declare
  v_texts jsonb := jsonb_path_query_array(p_fields, 'strict $.** ? (@.type() == "string")');
  v_text text := p_title;
begin
  -- A loop, because it starts no executor.
  for i in 0 .. jsonb_array_length(v_texts) - 1 loop
    v_text := v_text || E'\n' || (v_texts ->> i);
  end loop;
  return v_text;
end $$;
