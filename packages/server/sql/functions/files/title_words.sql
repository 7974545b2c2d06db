-- The words of a title as lexemes that no text can have, because words have no spaces: so the index finds a title among many texts
-- that have the word.
create or replace function title_words(p_title text) returns tsvector language sql stable as $$
  select array_to_tsvector(array(select 'title ' || w from unnest(tsvector_to_array(to_tsvector('simple', p_title))) w))
$$;
