// Builds append batches: the events of a step, and the row changes that commit with them. Pure.

import { v7 as uuidv7 } from 'uuid';
import {
  agentStateOf,
  applyAgentStateDelta,
  type Call,
  type EventData,
  type LogEvent,
  type NewEvent,
  type SessionState,
} from '@continuo/protocol';
import { isEnded, transition, type SessionInput } from '../../actors/session.ts';
import { checkChange, toDelta } from '../../context/agent-state.ts';
import type { Entry } from '../../log/group.ts';
import type { LoopChange } from '../changes.ts';
import { abandonChildren } from '../children/batches.ts';
import { messageRow } from '../steps/step.ts';
import type { Decision, QueuedRun, SentMessage } from './decide.ts';
import type { StateEdit } from '../facts/edit-state.ts';
import { answered } from '../approvals/questions.ts';
import { foldAll, pendingApproval, type RunState, type ThreadState } from '../../threads/fold.ts';

export interface AppendBatch {
  readonly entries: Entry[];
  readonly changes: readonly LoopChange[];
}

/** Joins batches in order. A change refers to its event by index, so the indexes are shifted. */
export function concatBatches(...batches: readonly AppendBatch[]): AppendBatch {
  const entries: Entry[] = [];
  const changes: LoopChange[] = [];
  for (const each of batches) {
    for (const change of each.changes) changes.push({ ...change, event: change.event + entries.length });
    entries.push(...each.entries);
  }
  return { entries, changes };
}

/** The thread state after the entries commit. */
export function predictState(
  state: ThreadState,
  entries: readonly Entry[],
  { threadId, attempt, at }: { readonly threadId: string; readonly attempt: number; readonly at: Date },
): ThreadState {
  let { seq } = state;
  let runSeq = state.run?.seq ?? 0;
  return foldAll(
    state,
    entries.map(({ runId, event }): LogEvent => {
      seq += 1;
      if (runId !== null) runSeq += 1;
      return { ...event, threadId, attempt, at, runId, seq, runSeq: runId === null ? null : runSeq };
    }),
  );
}

/** A session transition. `runId` is set if the transition also pauses or resumes that run. */
export function session(
  { session: last }: ThreadState,
  input: SessionInput,
  reason: string,
  runId: string | null = null,
): AppendBatch {
  const live = last && !isEnded(last.state) ? last : null;
  const { id, state } = live ?? { id: uuidv7(), state: 'idle' as SessionState };
  // The session is already running if a pod died between two runs, or if a person resumed it.
  if (input === 'start' && state === 'running') return { entries: [], changes: [] };
  const next = transition(state, input);
  if (!next.ok) throw new Error(next.problem);
  const data = { session: id, from_state: state, to_state: next.state, reason };
  return {
    entries: [{ runId, event: { type: 'session', data } }],
    changes: [{ kind: 'session', event: 0, id, state: next.state, reason }],
  };
}

export function start({ id, rewindTo, message }: QueuedRun, mode: EventData['mode'] | null): AppendBatch {
  const events: NewEvent[] = [
    { type: 'state', data: { status: 'running', attempt: 1 } },
    ...rewound(rewindTo),
    { type: 'message', data: said(message) },
    ...(mode ? [{ type: 'mode' as const, data: mode }] : []),
  ];
  return {
    entries: events.map((event) => ({ runId: id, event })),
    changes: [{ kind: 'start', event: 0 }],
  };
}

function rewound(to: number | null): NewEvent[] {
  return to === null ? [] : [{ type: 'rewound', data: { to_seq: to } }];
}

/** People's changes of the agent state, each as an event of its own. A bad update is refused, and the others count. */
export function editState(
  { memory }: Pick<ThreadState, 'memory'>,
  edits: readonly StateEdit[],
  at: string,
): AppendBatch {
  let state = agentStateOf(memory, '');
  const data = edits.map((edit): EventData['agent_state_delta'] => {
    const own = { source: 'person' as const, edit: edit.id, by: edit.by };
    if ('cleared' in edit) {
      state = agentStateOf({ deltas: [] }, '');
      return { ...own, cleared: true };
    }
    const delta = { ...own, ...toDelta(checkChange(state, edit.change, { at })) };
    state = applyAgentStateDelta(state, delta, at);
    return delta;
  });
  return {
    entries: data.map((each) => ({ runId: null, event: { type: 'agent_state_delta', data: each } })),
    changes: edits.map(({ id }, event) => ({ kind: 'state_edit', event, id })),
  };
}

/** Questions of calls that an earlier attempt started. Those calls are gone, so nothing waits for the answers. */
export function openQuestions({ calls }: RunState) {
  return calls.flatMap(({ call, tool, stage }) =>
    stage.kind === 'started' && stage.question !== null ? [{ approval: stage.question, call, tool }] : [],
  );
}

/**
 * A takeover. `text` is the partial text of an unfinished message that will not be generated again, and is kept; null if the
 * message will be generated again, which supersedes it.
 */
export function takeOver(run: RunState, queued: QueuedRun, text: string | null): AppendBatch {
  const attempt = run.attempts + 1;
  const supersedes = run.open !== null && text === null ? { supersedes: run.open } : {};
  const state: Entry = {
    runId: run.id,
    event: { type: 'state', data: { status: 'running', attempt, ...supersedes } },
  };
  const questions = openQuestions(run).map((question) =>
    answered(run.id, question, queued.decisions.get(question.approval)),
  );
  const unreserved: LoopChange[] = queued.family?.budget ? [{ kind: 'unreserve', event: 0 }] : [];
  if (run.open === null || !text) return { entries: [state, ...questions], changes: unreserved };
  const parts = [{ kind: 'text' as const, text }];
  const data = { message: run.open, text, parts, ended: 'interrupted' as const };
  return {
    entries: [state, { runId: run.id, event: { type: 'message_end', data } }],
    changes: [...unreserved, messageRow(1, queued, data)],
  };
}

/** Adds steering messages to the running run, and the mode that follows from them if it changes. */
export function steer(
  { id }: RunState,
  messages: readonly SentMessage[],
  mode: EventData['mode'] | null = null,
): AppendBatch {
  const events: NewEvent[] = [
    ...messages.map((message) => ({
      type: 'message' as const,
      data: { ...said(message), steer: true as const },
    })),
    ...(mode ? [{ type: 'mode' as const, data: mode }] : []),
  ];
  return {
    entries: events.map((event) => ({ runId: id, event })),
    changes: messages.map((message, event) => ({ kind: 'steered', event, id: message.id })),
  };
}

function said({ id, content, files, scope, untrusted }: SentMessage): EventData['message'] {
  return {
    id,
    role: 'user',
    content,
    ...(files && { files }),
    ...(scope && { scope }),
    ...(untrusted && { untrusted }),
  };
}

/** Appends people's decisions about calls that need approval. A refused call ends. */
export function applyDecisions(run: RunState, { decisions }: QueuedRun): AppendBatch {
  const events = run.calls.flatMap((call): NewEvent[] => {
    const asked = pendingApproval(call);
    const made = asked && decisions.get(asked.approval);
    if (!made) return [];
    const { decision, input, comment } = made;
    const data: EventData['approval_end'] = {
      approval: asked.approval,
      call: call.call,
      tool: call.tool,
      decision,
      ...(decision === 'edit' && { input }),
      ...(comment !== null && { comment }),
    };
    return [{ type: 'approval_end', data }, ...refusedCall(call, made)];
  });
  return { entries: events.map((event) => ({ runId: run.id, event })), changes: [] };
}

const REFUSED = {
  deny: 'a person denied the call',
  expired: 'nobody approved the call in time',
  skip: 'outcome unknown: the call was started before the server stopped, and was not repeated',
};

function refusedCall(asked: Call, { decision, comment }: Decision): NewEvent[] {
  if (decision !== 'deny' && decision !== 'expired' && decision !== 'skip') return [];
  const why = comment === null ? '' : `, and said: ${comment}`;
  const { call, tool } = asked;
  const mayHaveBegun = pendingApproval(asked)?.kind === 'unknown_outcome';
  const rest = mayHaveBegun ? '' : '. Nothing was done. Do not repeat the call: continue without it, or ask';
  const output = { error: `${mayHaveBegun ? REFUSED.skip : REFUSED[decision]}${why}${rest}` };
  const outcome = mayHaveBegun ? ('unknown' as const) : ('denied' as const);
  return [{ type: 'tool_end', data: { tool, output, call, success: false, outcome } }];
}

/** A message that no model wrote: how a conducted run sums up its work. */
export function closingMessage(run: RunState, queued: QueuedRun, text: string): AppendBatch {
  const message = `m${run.messages + 1}`;
  const parts = [{ kind: 'text' as const, text }];
  const isUntrusted = run.children.some((child) => child.untrusted);
  const data: EventData['message_end'] = {
    message,
    text,
    parts,
    ended: 'complete',
    ...(isUntrusted && { untrusted: true }),
  };
  const events: NewEvent[] = [
    { type: 'message_start', data: { message, model: CONDUCTED } },
    { type: 'token', data: { text, message } },
    { type: 'message_end', data },
  ];
  return {
    entries: events.map((event) => ({ runId: run.id, event })),
    changes: [messageRow(2, queued, data)],
  };
}

/** Stands for the model of a message that the server itself wrote. */
const CONDUCTED = 'continuo';

/** A run's end. Every open call gets a result first: a history with a call but no result is not valid. */
export function end(
  run: RunState,
  status: 'done' | 'error' | 'canceled',
  last: readonly NewEvent[],
  { sent, error }: { readonly sent: readonly SentMessage[]; readonly error?: EventData['error'] },
): AppendBatch {
  const answers = run.calls.flatMap(unanswered).map((event): Entry => ({ runId: run.id, event }));
  const events: NewEvent[] = [...last, { type: 'state', data: { status } }];
  return concatBatches({ entries: answers, changes: [] }, abandonChildren(run), steer(run, sent), {
    entries: events.map((event) => ({ runId: run.id, event })),
    changes: [
      {
        kind: 'end',
        event: events.length - 1,
        status,
        error: error ?? null,
        usage: run.usage,
        cost: run.cost,
        steers: run.steered.length + sent.length,
        asked: run.calls.some((call) => pendingApproval(call) !== null),
      },
    ],
  });
}

function unanswered(left: Call): NewEvent[] {
  const { call, tool, stage } = left;
  if (stage.kind === 'ended') return [];
  const mayHaveBegun = stage.kind === 'started' || pendingApproval(left)?.kind === 'unknown_outcome';
  const outcome = mayHaveBegun ? ('unknown' as const) : ('canceled' as const);
  const error = mayHaveBegun
    ? 'the run ended before the outcome was known'
    : 'the run ended before this call was made';
  const operation = stage.kind === 'started' ? stage.operation : undefined;
  return [
    ...(operation ? [{ type: 'operation' as const, data: { ...operation, status: 'error' as const } }] : []),
    { type: 'tool_end', data: { tool, output: { error }, call, success: false, outcome } },
  ];
}

/**
 * Runs that were canceled before they began. If such a run carries a rewind, the rewind still takes effect. It is appended as an
 * event of the thread, because a run that never began has no events except its end.
 */
export function drop(runs: readonly QueuedRun[]): AppendBatch {
  return concatBatches(
    ...runs.map(({ id, cancel, rewindTo }): AppendBatch => {
      const rewinding = rewound(rewindTo).map((event): Entry => ({ runId: null, event }));
      return {
        entries: [
          ...rewinding,
          { runId: id, event: { type: 'canceled', data: { reason: cancel! } } },
          { runId: id, event: { type: 'state', data: { status: 'canceled' } } },
        ],
        changes: [{ kind: 'end', event: rewinding.length + 1, status: 'canceled' }],
      };
    }),
  );
}
