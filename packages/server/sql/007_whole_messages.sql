-- A fold reads everything but the pieces of messages, which are nearly all of a log: it finds the rest here. The pieces
-- themselves are not in this index, so that it costs a run some ten entries.
create index events_whole on events (thread_id, seq) where type not in ('token', 'reasoning');
