// The `workspace` dialect: a chat's pipe, one stream across its runs and sessions. It has people's messages, the models'
// thoughts, answers and calls with their results, the end of each run, and every change of the session's state.

import type { Usage } from '@continuo/engine';
import type { EventData, LogEvent, RunError } from '../events.ts';
import { toWireInput } from '../fold/arguments.ts';
import { callsAfter, hasStarted, type Call } from '../fold/calls.ts';
import { supersededBy, textAfter, type MessageText } from '../fold/messages.ts';
import { addSpent } from '../fold/usage.ts';
import { outputText } from './calls.ts';
import type { Dialect, DialectFrame } from './dialect.ts';

/** The state of the open run. */
interface State {
  readonly run: string | null;
  readonly said: MessageText | null;
  /** The calls of the run's last message. */
  readonly calls: readonly Call[];
  readonly usage: Usage | null;
  readonly cost: number | null;
  readonly failure: RunError | null;
}

const initial: State = { run: null, said: null, calls: [], usage: null, cost: null, failure: null };

export const workspace: Dialect<State> = {
  name: 'workspace',
  initial,
  step: (state, event) => [stateAfter(state, event), framesOf(state, event)],
};

/** Events of a run that was canceled in the queue do not change the state. */
function stateAfter(state: State, event: LogEvent): State {
  switch (event.type) {
    case 'token':
      return { ...state, said: textAfter(state.said, event) };
    case 'state': {
      if (event.data.status !== 'running') return state;
      if (state.run !== event.runId) return { ...initial, run: event.runId };
      const said = textAfter(state.said, event);
      return said === state.said ? state : { ...state, said };
    }
    case 'message_end':
    case 'tool_start':
    case 'approval':
    case 'approval_end':
    case 'tool_end': {
      const calls = callsAfter(state.calls, event);
      return calls === state.calls ? state : { ...state, calls };
    }
    case 'usage':
      return { ...state, ...addSpent(state, event.data) };
    case 'error':
      return { ...state, failure: event.data };
    case 'session':
      return event.runId === null ? initial : state;
    default:
      return state;
  }
}

const NOTHING: readonly DialectFrame[] = [];

/** `state` is the state before the event. */
function framesOf(state: State, event: LogEvent): readonly DialectFrame[] {
  switch (event.type) {
    case 'token':
      return [{ event: 'chunk', data: event.data }];
    case 'reasoning':
      return [{ event: 'thought', data: event.data }];
    case 'message':
      return [{ event: 'message', data: { ...event.data, run: event.runId } }];
    case 'state': {
      const superseded = supersededBy(event.data);
      if (superseded === null) return NOTHING;
      const { message, attempt, cause } = superseded;
      const data = { message, attempt, run: event.runId, ...(cause && { cause }) };
      return [{ event: 'superseded', data }];
    }
    case 'tool_start': {
      // A later attempt may start the call again.
      const known = state.calls.find(({ call }) => call === event.data.call);
      return known && hasStarted(known) ? NOTHING : [callFrame(event.data)];
    }
    case 'tool_end': {
      const { call, tool } = event.data;
      const known = state.calls.find((each) => each.call === call);
      const { output, ...rest } = event.data;
      const data = { ...rest, output: outputText(output), data: output };
      const observation = { event: 'observation', data };
      if (known && hasStarted(known)) return [observation];
      // The call was refused or the run ended before it started, so the client does not know the call yet.
      return [callFrame({ tool, input: known && toWireInput(known.requested), call }), observation];
    }
    case 'final': {
      const { text, sources, message } = event.data;
      const metadata = { run: event.runId, message, sources, cost: state.cost };
      return [{ event: 'done', data: { message: text, usage: state.usage, metadata } }];
    }
    case 'canceled': {
      // A run that was canceled in the queue has no text; the text in the state is the open run's.
      const partial_response = event.runId === state.run ? (state.said?.text ?? '') : '';
      return [{ event: 'stopped', data: { ...event.data, partial_response, run: event.runId } }];
    }
    case 'session':
      return [{ event: 'state_changed', data: stateChanged(state, event.data) }];
    case 'context_usage':
      return [{ event: 'context_usage', data: event.data, progress: 'context_usage' }];
    case 'file_updated':
    case 'operation':
    case 'entity_patch':
    case 'plan_step':
    case 'verdict':
    case 'approval':
    case 'approval_end':
    case 'rewound':
    case 'mode':
    case 'titled':
    case 'child_start':
    case 'child_end':
    case 'summary':
    case 'summary_failed':
    case 'agent_state_delta':
      return [{ event: event.type, data: event.data }];
    case 'message_start':
    case 'message_end':
    case 'usage':
    case 'error':
      return NOTHING;
  }
}

function callFrame({ tool, input, call, title }: EventData['tool_start']): DialectFrame {
  const path = pathIn(input);
  const data = { tool, ...(path !== null && { path }), call, input, ...(title !== undefined && { title }) };
  return { event: 'call', data };
}

/** The path in a call's input; for a move, the source. */
function pathIn(input: unknown): string | null {
  const { path, from } = (input ?? {}) as { path?: unknown; from?: unknown };
  return typeof path === 'string' ? path : typeof from === 'string' ? from : null;
}

/** Adds the error of the failed run to its session's change. */
function stateChanged({ failure }: State, data: EventData['session']): unknown {
  if (data.to_state !== 'error' || failure === null) return data;
  return { ...data, reason: failure.error, code: failure.code };
}
