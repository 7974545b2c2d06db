-- Replaces NUL and lone surrogates in JSON by U+FFFD. The log keeps them as JSON escapes, but Postgres refuses to look into a
-- JSON value that contains one. A surrogate pair is stored as the character itself, so every surrogate escape is a lone one.
create or replace function readable(p_data json) returns json language sql immutable parallel safe as $$
  select case when p_data::text ~ '\\u(0000|d[89a-f])'
    then regexp_replace(p_data::text, '(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})', '\1\\ufffd', 'g')::json
    else p_data end
$$;
