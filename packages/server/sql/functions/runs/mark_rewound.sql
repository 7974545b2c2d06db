-- Marks runs as rewound: the run p_first and its successors, up to the run with the ordinal p_before, those that never started
-- included.
-- Invariant: the conversation is in the order of the runs, and not of the log, so a rewind covers a range of ordinals.
create or replace function mark_rewound(p_first uuid, p_before integer) returns void language sql as $$
  update runs o set rewound = true from runs f
    where f.id = p_first and o.thread_id = f.thread_id and o.ordinal >= f.ordinal and o.ordinal < p_before and not o.rewound
$$;
