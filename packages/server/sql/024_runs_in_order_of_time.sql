-- Serves the list of runs, newest first. Ids are not in the order of time: those of some clients' runs are made from the client's ids.
create index runs_by_time on runs (queued_at, id);
