-- Puts the words of each p_texts[i], whose first line is a title, into the search index; a null text takes the object out of it. The caller holds the workspace's
-- lock for indexing (4404).
-- Invariant: `vocabulary` counts the indexed texts that have each word.
create or replace function index_texts(p_workspace uuid, p_objects uuid[], p_texts text[]) returns void language plpgsql as $$
declare
  v_old tsvector[];
  v_new tsvector[];
begin
  select array_agg(t.words) into v_old from indexed_texts t where t.object_id = any (p_objects);
  -- The first line is the title.
  select array_agg(to_tsvector('simple', u.text) || title_words(split_part(u.text, E'\n', 1))
      || array_to_tsvector(array[workspace_lexeme(p_workspace)]) order by u.n)
    into v_new from unnest(p_texts) with ordinality u (text, n) where u.text is not null;
  delete from indexed_texts t using unnest(p_objects, p_texts) u (id, text) where t.object_id = u.id and u.text is null;
  insert into indexed_texts (object_id, workspace_id, words)
    select o.id, p_workspace, n.words
    from (select u.id, row_number() over (order by u.n) as n from unnest(p_objects, p_texts) with ordinality u (id, text, n)
      where u.text is not null) o
    join unnest(v_new) with ordinality n (words, n) on n.n = o.n
    on conflict (object_id) do update set words = excluded.words;

  insert into vocabulary as v (workspace_id, word, texts)
    select p_workspace, d.word, sum(d.n) from (
      select unnest(tsvector_to_array(w)) as word, 1 as n from unnest(v_new) w
      union all
      select unnest(tsvector_to_array(w)), -1 from unnest(v_old) w
    ) d where not starts_with(d.word, 'title ') group by d.word having sum(d.n) <> 0 order by d.word
    on conflict (workspace_id, word) do update set texts = v.texts + excluded.texts;
  delete from vocabulary v
    where v.workspace_id = p_workspace and v.texts <= 0
      and v.word in (select unnest(tsvector_to_array(w)) from unnest(v_old) w);
end $$;
