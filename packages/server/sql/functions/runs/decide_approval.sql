-- Stores a person's decision about an approval. Wakes the thread when all approvals of the run are decided, and for each question
-- at once: a running call waits for its answer.
-- `outcome`: decided, too_late (`answer` is the earlier decision), run_ended, expired, not_found.
-- Invariant: an approval is decided once. The run is locked first, then the approval, then the thread, as an append does.
create or replace function decide_approval(
  p_workspace uuid, p_approval uuid, p_decision text, p_input json, p_comment text, p_principal json,
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
    update approvals a set decision = p_decision, decided_input = p_input, comment = p_comment, decided_at = clock_timestamp(),
        decided_by = p_principal
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
