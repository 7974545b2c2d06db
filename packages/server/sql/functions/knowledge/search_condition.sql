-- What every match of a search must meet: the index belongs to the scope (a workspace, or its messages), has all phrases word for word,
-- and none of the excluded words or phrases. Words without an index entry, such as punctuation, are no condition.
create or replace function search_condition(p_scope uuid, p_phrases text[], p_excluded text[])
returns tsquery language plpgsql stable as $$
declare
  v_condition tsquery := query_literal(workspace_lexeme(p_scope))::tsquery;
  v_query tsquery;
begin
  for v_query in
    select phraseto_tsquery('simple', x) from unnest(p_phrases) x
    union all
    select !! phraseto_tsquery('simple', x) from unnest(p_excluded) x
  loop
    if numnode(v_query) > 0 then
      v_condition := v_condition && v_query;
    end if;
  end loop;
  return v_condition;
end $$;
