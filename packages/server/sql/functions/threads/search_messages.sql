-- The messages of a workspace that match a question, the best first; p_thread: only those of this chat. Everything that a search reads
-- is read here, and only rows of p_workspace: the index by the lexeme of its messages, and every row once more by its column. Removed chats and
-- the threads of child runs are left out. The question, the terms and the score are those of search_knowledge, without titles.
-- `seq` is where the message begins in its thread's log; null if it has not begun. `words` are the words that were looked for.
create or replace function search_messages(
  p_workspace uuid, p_words text, p_prefixes text[], p_phrases text[], p_excluded text[], p_thread uuid, p_limit integer
) returns table (
  message_id uuid, thread_id uuid, title text, role text, seq integer, created_at timestamptz, score real, body text, words text[]
) language plpgsql stable as $$
declare
  v_most constant integer := 400;
  v_scope uuid := message_scope(p_workspace);
  v_terms tsquery[];
  v_texts integer[];
  v_weights double precision[];
  v_words text[];
  v_must tsquery := search_condition(v_scope, p_phrases, p_excluded);
  v_rare tsquery;
  v_all tsquery;
  v_sum bigint := 0;
begin
  select array_agg(t.term), array_agg(t.texts), array_agg(t.weight),
      string_to_array(string_agg(array_to_string(t.forms, E'\n'), E'\n'), E'\n')
    into v_terms, v_texts, v_weights, v_words
    from search_terms(v_scope, tsvector_to_array(to_tsvector('simple', concat_ws(' ', p_words, array_to_string(p_phrases, ' ')))),
      p_prefixes) t;
  if v_terms is null then
    return;
  end if;
  -- Which messages are ranked: all that have a rare term, where v_most messages have one of these terms at most; up to v_most of those
  -- with all terms; and up to v_most of those with the rarest. In a chat, all of its messages.
  for i in 1 .. cardinality(v_terms) loop
    v_sum := v_sum + v_texts[i];
    if v_sum <= v_most then
      v_rare := case when i = 1 then v_terms[i] else v_rare || v_terms[i] end;
    end if;
    v_all := case when i = 1 then v_terms[i] else v_all && v_terms[i] end;
  end loop;
  return query
    with candidates as materialized (
      select distinct c.id from unnest(array[v_rare, v_all, v_terms[1]]) q, lateral (
        select t.object_id as id
        from indexed_texts t
        join messages m on m.id = t.object_id and m.workspace_id = p_workspace
        join threads h on h.id = m.thread_id and h.removed_at is null and h.parent_run is null
        where p_thread is null and t.words @@ (q && v_must) and t.workspace_id = v_scope
        limit v_most) c
      union
      select m.id from messages m join threads h on h.id = m.thread_id and h.removed_at is null
        join indexed_texts t on t.object_id = m.id
      where m.thread_id = p_thread and m.workspace_id = p_workspace
        and exists (select from unnest(v_terms) u (term) where t.words @@ (u.term && v_must))
    ), weighed as materialized (
      select c.id, length(t.words) as length, (
          select sum(u.weight * ts_rank('{1,1,1,1}', t.words, u.term)) from unnest(v_terms, v_weights) u (term, weight)) as weight
      from candidates c join indexed_texts t on t.object_id = c.id
    ), best as (
      select w.id, (w.weight / (0.75 + 0.25 * w.length / (select avg(length) from weighed)))::real as score
      from weighed w order by score desc, w.id limit p_limit
    )
    select m.id, m.thread_id, h.title, m.role,
      case when m.seq < 2000000000 then coalesce(nullif(m.seq, 0), r.first_seq) end, m.created_at, b.score,
      left(coalesce(readable(m.content) ->> 'text', ''), 65536), v_words
    from best b join messages m on m.id = b.id join threads h on h.id = m.thread_id left join runs r on r.id = m.run_id
    order by b.score desc, m.created_at desc;
end $$;
