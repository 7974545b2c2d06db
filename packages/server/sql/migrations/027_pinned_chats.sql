-- People pin chats that they return to.
alter table threads add column pinned_at timestamptz;
