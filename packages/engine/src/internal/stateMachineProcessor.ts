// Tracks what the conversation is doing.
//
// Invariants:
// 1. `conversation_start` comes once, before anything else the model does, even if the
//    stream lacks its `message_start`.
// 2. A state is emitted when it begins, and again only after a different state.
// 3. A call is planned once, when its first event comes, and then executing once, when its
//    input is complete: that is when its `tool_use_message` is re-injected.
// 4. Exactly one of `conversation_end`, `conversation_interrupted` and `error_occurred`
//    ends it; further stream events emit nothing.

import type { EngineEvent, StateEvent } from '../events.ts';
import { stay } from '../mealy.ts';
import type { Processor } from '../mealy.ts';

type Activity = 'starting' | 'thinking' | 'responding' | 'calling';

interface OpenConversation {
  readonly kind: 'open';
  readonly activity: Activity;
  readonly plannedCalls: readonly string[];
}

export type StateMachineState = { readonly kind: 'waiting' } | OpenConversation | { readonly kind: 'ended' };

type Live = Exclude<StateMachineState, { kind: 'ended' }>;
type Step = readonly [StateMachineState, readonly StateEvent[]];

interface Call {
  readonly at: number;
  readonly callId: string;
  /** A delta has no tool name. */
  readonly tool?: string;
}

export const initialStateMachineState: StateMachineState = { kind: 'waiting' };

export const stateMachineProcessor: Processor<StateMachineState, EngineEvent, StateEvent> = (
  state,
  event,
) => {
  if (event.type === 'tool_use_message') return executeCall(state, event);
  if (state.kind === 'ended') return stay(state);
  switch (event.type) {
    case 'text_block_start':
    case 'text_delta':
      return turnTo('responding', state, { type: 'conversation_responding', at: event.at });
    case 'reasoning_block_start':
    case 'reasoning_delta':
      return turnTo('thinking', state, { type: 'conversation_thinking', at: event.at });
    case 'tool_input_start':
    case 'tool_input_delta':
      return planCall(state, event);
    case 'message_start':
      return begin(state, event.at, event.messageId);
    case 'text_block_stop':
    case 'reasoning_block_stop':
      return begin(state, event.at);
    case 'message_stop':
      return [
        { kind: 'ended' },
        [...begin(state, event.at)[1], { type: 'conversation_end', at: event.at, reason: event.reason }],
      ];
    case 'stream_interrupted':
      return end({ type: 'conversation_interrupted', at: event.at, reason: event.reason });
    case 'stream_error':
      return end({ type: 'error_occurred', at: event.at, code: event.code, message: event.message });
    default:
      return stay(state);
  }
};

function begin(state: Live, at: number, messageId = ''): readonly [OpenConversation, readonly StateEvent[]] {
  if (state.kind === 'open') return stay(state);
  const opened: OpenConversation = { kind: 'open', activity: 'starting', plannedCalls: [] };
  return [opened, [{ type: 'conversation_start', at, messageId }]];
}

function turnTo(activity: Activity, state: Live, event: StateEvent): Step {
  if (state.kind === 'open' && state.activity === activity) return stay(state);
  const [opened, outputs] = begin(state, event.at);
  return [{ ...opened, activity }, [...outputs, event]];
}

function planCall(state: Live, { at, callId, tool = '' }: Call): Step {
  if (state.kind === 'open' && state.plannedCalls.includes(callId)) return stay(state);
  const [opened, outputs] = begin(state, at);
  const plannedCalls = [...opened.plannedCalls, callId];
  return [
    { kind: 'open', activity: 'calling', plannedCalls },
    [...outputs, { type: 'tool_planned', at, callId, tool }],
  ];
}

function executeCall(state: StateMachineState, { at, callId, tool }: Required<Call>): Step {
  // Also after the end: `message_stop` completes open calls, and this machine saw it before they were re-injected.
  const [next, outputs] = state.kind === 'ended' ? stay(state) : planCall(state, { at, callId, tool });
  return [next, [...outputs, { type: 'tool_executing', at, callId, tool }]];
}

function end(event: StateEvent): Step {
  return [{ kind: 'ended' }, [event]];
}
