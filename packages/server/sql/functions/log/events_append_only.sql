-- Invariant: a committed event never changes (L2).
create or replace trigger events_append_only before update or delete or truncate on events
  for each statement execute function refuse_change();
