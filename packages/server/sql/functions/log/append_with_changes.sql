-- Appends a batch of events, and makes the row changes that belong to them, all in the caller's transaction. Returns, for each
-- change in order, whether it had an effect.
--
-- A change is {kind, event, …}: its kind, the index of its event from 0, and the fields of its kind. The log knows no kind: a
-- concept adds one by a function on_append_<kind> in its own folder, which returns whether it had an effect. Its parameters are
-- named after what they are filled with. p_thread, p_run, p_seq, p_attempt and p_at are those of the event; all others are
-- fields of the change. A field of type json is sent as text, because json_to_recordset refuses NUL and lone surrogates. The two
-- comments with a pattern are replaced when the file is applied (src/db/dispatch.ts).
--
-- Invariants: the primary key of events is the fence, so a former owner's insert fails here (L3). Events and rows commit
-- together (L6). A change that must not happen any more raises CN001, which undoes the whole append.
create or replace function append_with_changes(
  p_threads uuid[], p_seqs integer[], p_runs uuid[], p_run_seqs integer[], p_attempts integer[],
  p_types text[], p_data text[], p_at timestamptz[], p_changes json
) returns boolean[] language plpgsql as $$
declare
  v record;
  v_effects boolean[] := '{}';
begin
  insert into events (thread_id, seq, run_id, run_seq, attempt, type, data, at)
    select t, s, r, rs, a, ty, d::json, ts
    from unnest(p_threads, p_seqs, p_runs, p_run_seqs, p_attempts, p_types, p_data, p_at)
      as u (t, s, r, rs, a, ty, d, ts);

  for v in
    select c.*, p_threads[c.event + 1] as thread, p_runs[c.event + 1] as run, p_seqs[c.event + 1] as seq,
      p_attempts[c.event + 1] as attempt, p_at[c.event + 1] as at
    from json_to_recordset(p_changes) as c (kind text, event integer /* fields of on_append_* except kind, event, thread, run, seq, attempt, at */)
  loop
    case v.kind
    /* each on_append_*: when '{name}' then v_effects := array_append(v_effects, {function}({arguments of v})); */
    end case;
  end loop;
  return v_effects;
end $$;
