-- What became of the changes that commands propose, and which hosts commands may reach.

-- The version that the file got when the change was applied; null: it was not applied.
alter table execution_changes add column applied_version integer;

-- The hosts that the command may reach.
alter table executions add column network json not null default '[]';
