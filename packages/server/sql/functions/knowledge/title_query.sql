-- Finds the texts whose title has one of these words: see title_words. p_words is an array in JSON.
create or replace function title_query(p_words jsonb) returns tsquery language sql immutable as $$
  select string_agg(query_literal('title ' || w), ' | ')::tsquery from jsonb_array_elements_text(p_words) w
$$;
