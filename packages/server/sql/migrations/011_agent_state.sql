-- People's changes of a chat's agent state that the thread's owner has not appended yet: {id, by, change} or {id, by, cleared}.
alter table threads add column state_edits json[] not null default '{}';
