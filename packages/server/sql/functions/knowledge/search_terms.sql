-- The terms of a question, the rarest first. A term is found by any of its `forms`, which are words of the workspace's texts: the word
-- itself and its inflections, as far as the English stemmer knows them; for an unknown word, words that are spelled
-- almost like it. `texts` is how many texts have it, at most; `weight` says how much finding it counts.
create or replace function search_terms(p_workspace uuid, p_words text[], p_prefixes text[])
returns table (term tsquery, forms text[], texts integer, weight double precision) language plpgsql stable as $$
declare
  v_all double precision;
  v_most constant integer := 24;
begin
  select v.texts into v_all from vocabulary v where v.workspace_id = p_workspace and v.word = workspace_lexeme(p_workspace);
  return query
    with asked as (
      select w.word, (ts_lexize('english_stem', w.word))[1] as stem from unnest(p_words) w (word)
    ), known as (
      select a.word as asked, v.word, v.texts, 1.0 as likeness
      from asked a join vocabulary v on v.workspace_id = p_workspace and v.word = a.word
      union
      -- All words with this stem begin with it, except for its last letter, which a stemmer may change.
      select a.word, v.word, v.texts, 1.0
      from asked a, lateral (select left(a.stem, greatest(3, length(a.stem) - 1)) as start) r,
        lateral (select * from vocabulary v
          where v.workspace_id = p_workspace and v.word >= r.start and v.word < r.start || U&'\+10FFFF' limit 1000) v
      where length(a.stem) >= 3 and (ts_lexize('english_stem', v.word))[1] = a.stem
      union all
      select p.prefix || '*', v.word, v.texts, 1.0
      from unnest(p_prefixes) p (prefix),
        lateral (select * from vocabulary v where v.workspace_id = p_workspace and v.word >= p.prefix and v.word < p.prefix || U&'\+10FFFF'
            and v.word <> workspace_lexeme(p_workspace)
          order by v.texts desc limit 100) v
    ), found as (
      select * from known
      union all
      select a.word, s.word, v.texts, s.likeness / 2
      from asked a, lateral similar_words(p_workspace, a.word) s
      join vocabulary v on v.workspace_id = p_workspace and v.word = s.word
      where not exists (select from known k where k.asked = a.word)
    ), terms as (
      select f.asked, array_agg(f.word order by f.word) as forms, least(sum(f.texts), v_all)::integer as texts,
        max(f.likeness)::double precision as likeness
      from found f group by f.asked
    ), weighed as (
      select t.*, t.likeness * ln(1 + (v_all - t.texts + 0.5) / (t.texts + 0.5)) as weight from terms t
    )
    select array_to_string(array(select query_literal(x) from unnest(w.forms) x), ' | ')::tsquery, w.forms, w.texts, w.weight
    from (select *, max(weighed.weight) over () as most from weighed) w
    -- Among many texts, words that a third of them has cost much and say little beside rarer ones.
    where w.weight >= w.most / 10 or v_all < 1000
    order by w.texts, w.asked limit v_most;
end $$;
