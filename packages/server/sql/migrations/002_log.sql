-- The log: one table for the events of all threads.

-- The primary key is the fence: an owner that was replaced cannot insert at the next seq. `data` is json and not jsonb, which
-- keeps its bytes: a replay is byte for byte the live stream.
create table events (
  thread_id uuid not null,
  seq integer not null,
  run_id uuid,
  run_seq integer,
  attempt integer not null,
  type text not null,
  data json not null,
  at timestamptz not null,
  primary key (thread_id, seq)
);

-- A fold reads all events except the pieces of messages, which are nearly all of a log. The pieces are not in this index, so
-- a run adds only some ten entries to it.
create index events_whole on events (thread_id, seq) where type not in ('token', 'reasoning');

-- Finds what the titles of a thread cost.
create index events_titled on events (thread_id) where type = 'titled';
