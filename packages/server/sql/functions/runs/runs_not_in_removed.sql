-- Invariant: a removed workspace takes no new message.
create or replace trigger runs_not_in_removed before insert on runs for each row execute function refuse_removed();
