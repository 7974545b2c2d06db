-- Search over messages. Their words are in indexed_texts and vocabulary, in a scope of their own (see message_scope), so that they change
-- no ranking of files and entities. A message is indexed by the first search after it, never by its run.

-- Up to when the messages of a workspace are indexed. A message that commits late, or on a pod whose clock is
-- behind, is found by looking ten minutes further back.
create table message_index (
  workspace_id uuid primary key references workspaces (id) on delete cascade,
  indexed_until timestamptz not null
);

-- Messages are inserted in the order of their time, so this index costs an insert almost nothing.
create index messages_created on messages using brin (created_at) with (pages_per_range = 32);
