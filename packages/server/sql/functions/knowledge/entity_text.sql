-- What an entity that is not a file is found by: its title and the texts of its fields, one to a line.
create or replace function entity_text(p_entity entities) returns text language plpgsql stable as $$
begin
  return concat_ws(E'\n', p_entity.title, (
    select string_agg(t #>> '{}', E'\n') from jsonb_path_query(p_entity.fields, 'strict $.**') t where jsonb_typeof(t) = 'string'));
end $$;
