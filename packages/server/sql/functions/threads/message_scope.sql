-- The id that stands for a workspace's messages in indexed_texts and vocabulary.
create or replace function message_scope(p_workspace uuid) returns uuid language sql immutable parallel safe as $$
  select overlay(overlay(md5('messages of ' || p_workspace) placing '8' from 13) placing '8' from 17)::uuid
$$;
