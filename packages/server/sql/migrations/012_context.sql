-- What models were sent.

-- Texts that requests are made of, each stored once by its SHA-256. They have no version of their own that could be read
-- again, or are made from several versions. The owner is the workspace; of texts that are made from a thread's log, the thread.
create table context_texts (
  owner_id uuid not null,
  hash bytea not null,
  workspace_id uuid not null references workspaces (id),
  -- The entity that the text tells about; the text is deleted with it.
  entity_id uuid,
  -- A JSON string, because it may contain NUL and lone surrogates.
  text json not null,
  primary key (owner_id, hash)
);

create index context_texts_of_entity on context_texts (entity_id) where entity_id is not null;

-- One row for each request to a model. It commits with the first event of the answer, or with the failure that came instead.
create table context_manifests (
  thread_id uuid not null references threads (id) on delete cascade,
  seq integer not null,
  -- From 1: requests that the provider refused before an answer began share their event with the last one.
  try smallint not null,
  workspace_id uuid not null,
  run_id uuid,
  -- The message of the answer; null if the answer is no message, such as a title.
  message text,
  purpose text not null,
  model text not null,
  -- Of the exact request.
  hash bytea not null,
  -- The hash of the text that lists the request's parts.
  parts bytea not null,
  -- How the messages follow from the log; null if they are stored as texts.
  history json,
  -- The position in the workspace's change feed that the parts were read at.
  feed_seq bigint,
  at timestamptz not null,
  primary key (thread_id, seq, try)
);
