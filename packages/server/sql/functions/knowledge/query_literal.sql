-- A lexeme as the text of a tsquery, whatever characters it has.
create or replace function query_literal(p_lexeme text) returns text language sql immutable as $$
  select '''' || replace(replace(p_lexeme, '\', '\\'), '''', '''''') || ''''
$$;
