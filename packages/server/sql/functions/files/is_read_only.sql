-- Whether a case-folded path is reserved for files that the server makes itself: /chats is a projection of the threads.
create or replace function is_read_only(p_folded text) returns boolean language sql immutable as $$
  select p_folded = '/chats' or starts_with(p_folded, '/chats/')
$$;
