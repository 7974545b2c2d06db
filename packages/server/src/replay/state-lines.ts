// The run loop's state after each event, as lines of what changed.

import { agentStateOf, currentSummary, everyOpenCall, type Call } from '@continuo/protocol';
import type { StoredEvent } from '../log/event.ts';
import { CALLS_PER_MESSAGE } from '../models/model.ts';
import { keptInput } from '../runs/steps/call-values.ts';
import {
  EMPTY,
  fold,
  foldAll,
  noteOn,
  pendingApproval,
  type RunState,
  type ThreadState,
} from '../threads/fold.ts';
import { changeLines, changesBetween, plain } from './change-lines.ts';
import { afterEveryEvent } from './places.ts';

/** What changes in the state with each event, and whether folding in one go gives the same. */
export function stateLines(log: readonly StoredEvent[], compared = afterEveryEvent): string[] {
  let state = EMPTY;
  const states = log.flatMap((event, index) => {
    state = fold(state, event);
    return compared(index) ? [{ event, value: stateMeaning(state) }] : [];
  });
  const byEvent = plain(stateMeaning(state));
  const inOneGo = plain(stateMeaning(foldAll(EMPTY, log)));
  return [
    ...changeLines(stateMeaning(EMPTY), states),
    `# folded in one go: ${inOneGo === byEvent ? 'the same' : inOneGo}`,
  ];
}

/** What is different in two states, a line each. */
export function stateLinesBetween(before: ThreadState, after: ThreadState): string[] {
  return Object.entries(changesBetween(stateMeaning(before), stateMeaning(after))).map(
    ([path, value]) => `${path} ${plain(value)}`,
  );
}

/**
 * What a state means, without its shape: a change of the shape is mended here. Where the meaning itself changes on purpose,
 * only the fixtures of `state` may be rewritten.
 */
function stateMeaning(state: ThreadState) {
  const { seq, session, history, omitted, known, refused, tooLong, scope, memory, run } = state;
  return {
    seq,
    session: session && { id: session.id, state: session.state, since: session.since },
    history: history.map(({ runId, seq: at, entry, summary, images, attached }) => ({
      run: runId,
      seq: at,
      message: entry,
      summary,
      images,
      files: attached,
    })),
    omitted,
    known: known.map(({ file, version, seq: at }) => ({ file, version, seq: at })),
    refused: refused.map(({ model, file, v }) => ({ model, file, version: v })),
    too_long: tooLong,
    scope,
    summary: currentSummary(memory)?.data.version,
    summary_failed: memory.failed,
    agent_state: agentStateOf(memory, 'chat'),
    run: run && runMeaning(run),
  };
}

function runMeaning(run: RunState) {
  return {
    id: run.id,
    first_seq: run.firstSeq,
    seq: run.seq,
    held_by: run.heldBy,
    attempts: run.attempts,
    attempts_without_progress: run.stalled,
    retries: run.retries,
    started_at: run.startedAt,
    messages: run.messages,
    open_message: run.open,
    last_message: run.last && {
      message: run.last.message,
      text: run.last.text,
      error: run.last.end.kind === 'failed' ? run.last.end.error : null,
      cut: run.last.end.kind !== 'complete',
    },
    calls: run.calls.map(callMeaning),
    steered: run.steered,
    unanswered: run.unanswered,
    rests: restMeaning(run),
    rests_since: run.rest?.since ?? null,
    rested_ms: run.restedMs,
    model_calls: run.modelCalls,
    usage: run.usage,
    cost: run.cost,
    sources: run.sources,
    ...(run.children.length > 0 && { children: run.children }),
  };
}

/** A run that is paused may wait for people as well. */
function restMeaning({ rest, calls }: RunState) {
  const started = calls.filter(({ stage }) => stage.kind === 'started');
  return {
    for_approvals: everyOpenCall(calls, (stage) => pendingApproval({ stage }) !== null),
    for_an_answer: everyOpenCall(started, (stage) => stage.kind === 'started' && stage.question !== null),
    paused: rest?.for === 'resume',
  };
}

function callMeaning(each: Call, index: number) {
  const { call, tool } = each;
  const input = keptInput(each.input);
  return {
    call,
    tool,
    input: input.ok ? input.value : null,
    problem: input.ok ? null : input.problem,
    surplus: index >= CALLS_PER_MESSAGE,
    note: noteOn(each),
    stage: stageMeaning(each),
  };
}

function stageMeaning(call: Call) {
  const { stage } = call;
  const asked = pendingApproval(call);
  if (asked) {
    const { approval, kind: about, paths, expires_at } = asked;
    const expiresAt = expires_at === undefined ? null : Date.parse(expires_at);
    return { kind: 'asked', approval, about, paths, expiresAt };
  }
  if (stage.kind === 'requested') return { kind: 'planned' };
  if (stage.kind === 'allowed') return { kind: 'planned', approved: true };
  if (stage.kind !== 'started') return stage;
  return {
    kind: 'started',
    ...(stage.question !== null && { question: stage.question }),
    ...(stage.operation && { operation: stage.operation }),
  };
}
