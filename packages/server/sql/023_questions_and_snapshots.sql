-- Questions that a running call asks a person, and snapshots of folded threads.

-- A `question` is asked by a call that is being made and waits for the answer. Its `input` column holds the JSON schema of
-- the answer; `answer` comes with `decided_input`, `deny` and `skip` come without.
alter table approvals drop constraint approvals_kind_check;
alter table approvals add constraint approvals_kind_check check (kind in ('call', 'unknown_outcome', 'question'));
alter table approvals drop constraint approvals_decision_check;
alter table approvals add constraint approvals_decision_check
  check (decision in ('approve', 'deny', 'edit', 'retry', 'skip', 'answer', 'expired', 'canceled'));

-- Writes down what a person decided. The run's row is locked first, then the approval's, then the thread's, in the order of
-- the statement that ends a run. The thread is woken when nothing of the run is undecided any more, and for each question:
-- a call waits for its answer, whatever else is undecided.
-- `outcome`: decided, too_late (somebody decided before: `answer` is what), run_ended, expired, not_found.
create or replace function decide_approval(
  p_workspace uuid, p_approval uuid, p_decision text, p_input json, p_comment text,
  out outcome text, out answer approvals, out wake boolean, out owner uuid
) language plpgsql as $$
declare
  v_run runs%rowtype;
begin
  wake := false;
  select * into answer from approvals a where a.id = p_approval and a.workspace_id = p_workspace;
  if not found then
    outcome := 'not_found';
    return;
  end if;
  select * into v_run from runs r where r.id = answer.run_id for no key update;
  select * into answer from approvals a where a.id = p_approval for no key update;
  if answer.decision = 'expired' or (answer.decision is null and answer.expires_at <= clock_timestamp()) then
    outcome := 'expired';
  elsif answer.decision = 'canceled' then
    outcome := 'run_ended';
  elsif answer.decision is not null then
    outcome := 'too_late';
  elsif v_run.status <> 'running' or v_run.cancel_requested_at is not null then
    outcome := 'run_ended';
  else
    update approvals a set decision = p_decision, decided_input = p_input, comment = p_comment, decided_at = clock_timestamp()
      where a.id = p_approval returning * into answer;
    outcome := 'decided';
    if answer.kind = 'question' or not exists (
      select from approvals a where a.run_id = answer.run_id and a.decision is null
        and (a.expires_at is null or a.expires_at > clock_timestamp())
    ) then
      update threads t set wake_at = least(t.wake_at, clock_timestamp()) where t.id = answer.thread_id
        returning t.owner into owner;
      wake := true;
    end if;
  end if;
end $$;

-- The folded state of a thread as it was at `seq`: a pod that opens the thread reads only what came later. Derived from the
-- log, so that rows may be deleted at any time. `version` is that of the fold: a server ignores the rows of other versions.
create table thread_snapshots (
  thread_id uuid primary key references threads (id) on delete cascade,
  version integer not null,
  seq integer not null,
  state json not null,
  made_at timestamptz not null default clock_timestamp()
);
