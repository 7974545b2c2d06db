-- Invariant: a committed version never changes.
create or replace trigger file_versions_immutable before update or delete or truncate on file_versions
  for each statement execute function refuse_change();
