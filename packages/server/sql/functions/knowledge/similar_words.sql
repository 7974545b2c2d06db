-- The words of a workspace's texts that are spelled most like a word that none of them has, and how similar they are, from 0 to 1.
-- None without the extension pg_trgm.
create or replace function similar_words(p_workspace uuid, p_word text) returns table (word text, likeness real)
language plpgsql stable as $$
begin
  if to_regprocedure('similarity(text, text)') is null or length(p_word) < 4 or length(p_word) > 64 then
    return;
  end if;
  return query
    select v.word, similarity(v.word, p_word) as likeness from vocabulary v
    where v.workspace_id = p_workspace and v.word % p_word
      -- Short words that differ in one letter are seldom the same word.
      and similarity(v.word, p_word) >= case when length(p_word) < 6 then 0.45 else 0.33 end
    order by likeness desc, v.texts desc, v.word limit 3;
end $$;
