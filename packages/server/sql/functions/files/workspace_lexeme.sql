-- The lexeme that every indexed text of a workspace has. No text can have it: words have no spaces.
create or replace function workspace_lexeme(p_workspace uuid) returns text language sql immutable as $$
  select 'workspace ' || p_workspace
$$;
