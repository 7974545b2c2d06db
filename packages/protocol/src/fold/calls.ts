// The lifecycle of a model's calls. A message requests calls; each may wait for a person, starts, perhaps asks a person a
// question while it runs, and ends:
//
//   requested ──▶ started ──▶ ended
//       │            │
//       └▶ waiting ◀─┘   (a call whose outcome is unknown waits before it is made again)
//             ├▶ allowed ──▶ started
//             └▶ refused ──▶ ended
//
// A call that is denied or canceled goes to `ended` from any stage.

import type { MessagePart } from '@continuo/engine';
import type { ApprovalDecision, EventData, NewEvent } from '../events.ts';
import { readArguments, type CallArguments } from './arguments.ts';

export type CallStage =
  | { readonly kind: 'requested' }
  /** A person must decide whether to make the call, or to repeat it. */
  | { readonly kind: 'waiting'; readonly approval: EventData['approval'] }
  | { readonly kind: 'allowed' }
  /** The call's end follows next; its result says that the call was refused. */
  | { readonly kind: 'refused'; readonly approval: EventData['approval'] }
  /**
   * `question`: the approval that the running call waits for; null if there is none. `operation`: what the call has said that it
   * does to entities.
   */
  | {
      readonly kind: 'started';
      readonly question: string | null;
      readonly operation?: EventData['operation'];
    }
  | { readonly kind: 'ended' };

export interface Call {
  readonly call: string;
  readonly tool: string;
  /** The arguments as the model wrote them. */
  readonly requested: CallArguments;
  /** The arguments that the call is made with; a person may have edited them. */
  readonly input: CallArguments;
  readonly stage: CallStage;
  /** The last request to allow the call; questions do not count. */
  readonly asked: EventData['approval'] | null;
  /** The last decision that allowed the call. */
  readonly allowed: EventData['approval_end'] | null;
}

/** The events that move a call from one stage to the next. */
export type CallEvent = Extract<
  NewEvent,
  { type: 'tool_start' | 'operation' | 'approval' | 'approval_end' | 'tool_end' }
>;

const REQUESTED: CallStage = { kind: 'requested' };
const ALLOWED: CallStage = { kind: 'allowed' };
const STARTED = { kind: 'started', question: null } as const;
const ENDED: CallStage = { kind: 'ended' };

const REFUSALS: ReadonlySet<ApprovalDecision | 'expired'> = new Set(['deny', 'skip', 'expired']);

export function newCall(call: string, tool: string, requested: CallArguments): Call {
  return { call, tool, requested, input: requested, stage: REQUESTED, asked: null, allowed: null };
}

/** The calls that a message requests, in order. */
export function callsIn(parts: readonly MessagePart[]): readonly Call[] {
  return parts.flatMap((part) =>
    part.kind === 'tool_call' ? [newCall(part.callId, part.tool, readArguments(part.input))] : [],
  );
}

/** The calls of the run's last message after an event. Returns the same array if the event changes none of them. */
export function callsAfter(calls: readonly Call[], event: NewEvent): readonly Call[] {
  switch (event.type) {
    case 'message_end':
      return callsIn(event.data.parts);
    case 'tool_start':
    case 'operation':
    case 'approval':
    case 'approval_end':
    case 'tool_end': {
      const index = calls.findIndex(({ call }) => call === event.data.call);
      if (index < 0) return calls;
      const next = callAfter(calls[index]!, event);
      return next === calls[index] ? calls : calls.with(index, next);
    }
    default:
      return calls;
  }
}

/** One call after an event of its own. */
export function callAfter(call: Call, event: CallEvent): Call {
  switch (event.type) {
    case 'tool_start':
      return { ...call, stage: STARTED };
    case 'operation':
      return call.stage.kind === 'started' && event.data.status === 'start'
        ? { ...call, stage: { ...call.stage, operation: event.data } }
        : call;
    case 'approval': {
      const { data } = event;
      // Only a running call asks a question, and it continues by itself.
      if (data.kind === 'question')
        return {
          ...call,
          stage: {
            ...(call.stage.kind === 'started' ? call.stage : STARTED),
            question: data.approval,
          },
        };
      return { ...call, stage: { kind: 'waiting', approval: data }, asked: data };
    }
    case 'approval_end':
      return afterDecision(call, event.data);
    case 'tool_end':
      return { ...call, stage: ENDED };
  }
}

function afterDecision(call: Call, decision: EventData['approval_end']): Call {
  const { stage } = call;
  if (stage.kind === 'started')
    return stage.question === decision.approval ? { ...call, stage: { ...stage, question: null } } : call;
  if (stage.kind !== 'waiting' || stage.approval.approval !== decision.approval) return call;
  if (REFUSALS.has(decision.decision))
    return { ...call, stage: { kind: 'refused', approval: stage.approval } };
  const input: CallArguments =
    decision.decision === 'edit' ? { ok: true, value: decision.input } : call.input;
  return { ...call, input, stage: ALLOWED, allowed: decision };
}

/** Whether the call was ever started; a call with an unknown outcome was. */
export function hasStarted({ stage, asked }: Call): boolean {
  if (stage.kind === 'started' || stage.kind === 'ended') return true;
  return asked?.kind === 'unknown_outcome';
}

/** Whether there are open calls, and the stages of all of them pass the test. */
export function everyOpenCall(calls: Iterable<Call>, test: (stage: CallStage) => boolean): boolean {
  let open = false;
  for (const { stage } of calls) {
    if (stage.kind === 'ended') continue;
    if (!test(stage)) return false;
    open = true;
  }
  return open;
}
