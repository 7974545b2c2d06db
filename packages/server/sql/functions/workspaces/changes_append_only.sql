-- Invariant: a committed change of the feed never changes.
create or replace trigger changes_append_only before update or delete or truncate on changes
  for each statement execute function refuse_change();
