-- Answers one question: the live entities and files of a workspace that match it, the best first. Everything that a search reads is
-- read here, and only rows of p_workspace: the index by the workspace's own lexeme, and every row once more by its column.
--   p_words     any of these words, or an inflection of it; the more, and the rarer, the better
--   p_prefixes  the beginnings of words, which count like words
--   p_phrases   texts that must be found word for word
--   p_excluded  words or phrases that must not be found
--   p_project   only what is in this project, or in its folder; null: everything
--   p_kinds     only these kinds; `file` is a file that is not a document; null: all
-- `data` is the beginning of a file's content, `body` the text of another entity.
-- `score` is, like BM25, the sum over the terms of how rare the term is times how often the text has it, which counts less and less, for
-- texts of average length; ts_rank gives the second factor. A title that has the term adds half as much. `words` are the words that
-- were looked for, for snippets.
create or replace function search_knowledge(
  p_workspace uuid, p_words text, p_prefixes text[], p_phrases text[], p_excluded text[], p_project uuid, p_kinds text[],
  p_limit integer
) returns table (
  entity_type text, entity_id uuid, project_id uuid, title text, score real, path text, kind text, version integer, size bigint,
  data bytea, body text, words text[]
) language plpgsql stable as $$
declare
  v_most constant integer := 400;
  v_terms tsquery[];
  v_texts integer[];
  v_weights double precision[];
  -- The words that a term is found by, as an array in JSON.
  v_forms jsonb[];
  v_words text[];
  v_folder text;
  v_must tsquery := search_condition(p_workspace, p_phrases, p_excluded);
  v_rare tsquery;
  v_common tsquery[] := '{}';
  v_all tsquery;
  v_titled tsquery;
  v_pairs tsquery;
  v_queries tsquery[];
  v_sum bigint := 0;
begin
  select array_agg(t.term), array_agg(t.texts), array_agg(t.weight), array_agg(to_jsonb(t.forms)),
      string_to_array(string_agg(array_to_string(t.forms, E'\n'), E'\n'), E'\n')
    into v_terms, v_texts, v_weights, v_forms, v_words
    from search_terms(p_workspace, tsvector_to_array(to_tsvector('simple', concat_ws(' ', p_words, array_to_string(p_phrases, ' ')))),
      p_prefixes) t;
  if v_terms is null then
    return;
  end if;
  if p_project is not null then
    select p.folded || '/' into v_folder from projects p where p.id = p_project and p.workspace_id = p_workspace;
    if not found then
      return;
    end if;
  end if;

  -- Which texts are ranked: all that have a rare term, where v_most texts have one of these terms at most. Up to v_most of those
  -- with a term in the title; of those with two of the next terms; of those with the phrases; and without a rare term, of those with
  -- all terms, and of those with the first.
  for i in 1 .. cardinality(v_terms) loop
    v_sum := v_sum + v_texts[i];
    if v_sum <= v_most then
      v_rare := case when i = 1 then v_terms[i] else v_rare || v_terms[i] end;
    elsif cardinality(v_common) < 3 then
      v_common := v_common || v_terms[i];
    end if;
    v_all := case when i = 1 then v_terms[i] else v_all && v_terms[i] end;
    if i <= 6 then
      v_titled := case when i = 1 then title_query(v_forms[i]) else v_titled || title_query(v_forms[i]) end;
    end if;
  end loop;
  v_queries := array[v_rare, v_titled];
  if cardinality(v_common) > 1 then
    v_pairs := v_common[1] && v_common[2];
    if cardinality(v_common) > 2 then
      v_pairs := v_pairs || (v_common[3] && (v_common[1] || v_common[2]));
    end if;
    v_queries := v_queries || v_pairs;
  end if;
  if v_rare is null then
    v_queries := v_queries || v_all;
  end if;
  if v_rare is null or cardinality(v_common) = 1 then
    v_queries := v_queries || v_common[1];
  end if;
  if cardinality(p_phrases) > 0 then
    v_queries := v_queries || v_must;
  end if;

  return query
    with candidates as materialized (
      select distinct c.id from unnest(v_queries) q, lateral (
        select t.object_id as id
        from indexed_texts t
        left join entities e on e.id = t.object_id and e.workspace_id = p_workspace and e.removed_at is null
        left join files f on f.id = t.object_id and f.workspace_id = p_workspace and f.removed_at is null
        where t.words @@ (q && v_must) and t.workspace_id = p_workspace and (e.id is not null or f.id is not null)
          and (p_project is null or e.project_id = p_project or e.id is null and starts_with(f.folded, v_folder))
          and (p_kinds is null or coalesce(e.kind, 'file') = any (p_kinds))
          and not exists (select from entities p where p.id = coalesce(e.project_id, p_project) and p.removed_at is not null)
        limit v_most) c
    ), weighed as materialized (
      select c.id, length(w.words) as length, (
          select sum(u.weight * jsonb_array_length(u.forms) * ts_rank('{1,1,1,1}', w.words, u.term))
          from unnest(v_terms, v_weights, v_forms) u (term, weight, forms)) as weight
      from candidates c join indexed_texts t on t.object_id = c.id,
        -- The words of a long text are stored apart. A copy, so that they are read once and not for each term.
        lateral (select case when pg_column_size(t.words) < 8000 then t.words else ts_filter(t.words, '{a,b,c,d}') end as words
          offset 0) w
    ), ranked as (
      select w.id, w.weight / (0.75 + 0.25 * w.length / (select avg(length) from weighed)) as score
      from weighed w order by score desc limit 2 * p_limit + 20
    ), best as (
      select r.id, e, f, n.title, (r.score + coalesce((
          select sum(u.weight) / 2 from unnest(v_terms, v_weights) u (term, weight) where n.words @@ u.term
        ), 0))::real as score
      from ranked r
      left join entities e on e.id = r.id and e.removed_at is null
      left join files f on f.id = r.id and f.removed_at is null,
        lateral (select coalesce(e.title, regexp_replace(substring(f.path from '[^/]*$'), '\.[^.]*$', '')) as title) t,
        lateral (select t.title, to_tsvector('simple', t.title) as words offset 0) n
      order by score desc, r.id limit p_limit
    )
    select coalesce((b.e).kind, 'file'), b.id, (b.e).project_id, b.title, b.score, (b.f).path, (b.f).kind,
      coalesce((b.f).version, (b.e).version), (b.f).size, substring(k.data from 1 for 65536),
      case when (b.f).id is null then entity_text((b.e).title, (b.e).fields) end, v_words
    from best b
    left join file_versions v on v.file_id = b.id and v.version = (b.f).version
    left join chunks k on k.hash = v.chunks[1]
    order by b.score desc, b.id;
end $$;
