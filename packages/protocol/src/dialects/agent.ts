// The `agent` dialect: one run as an agent's turn. It begins with `session` and ends with `done`; if the run failed, `error`
// precedes `done`.

import type { Usage } from '@continuo/engine';
import type { LogEvent } from '../events.ts';
import { toWireInput } from '../fold/arguments.ts';
import { callsAfter, hasStarted, type Call } from '../fold/calls.ts';
import { supersededBy } from '../fold/messages.ts';
import { addSpent } from '../fold/usage.ts';
import type { Dialect, DialectFrame } from './dialect.ts';

type Doing = 'thinking' | 'executing' | 'waiting';

interface State {
  /** The calls of the run's last message. */
  readonly calls: readonly Call[];
  readonly usage: Usage | null;
  readonly cost: number | null;
  /** Null before the first event. */
  readonly doing: Doing | null;
  /** How many approvals the run waits for. */
  readonly asked: number;
  /** Why the run was canceled. */
  readonly reason: string | null;
}

export const agent: Dialect<State> = {
  name: 'agent',
  initial: { calls: [], usage: null, cost: null, doing: null, asked: 0, reason: null },
  step(state, event) {
    if (event.type === 'token') return [state, [{ event: 'text_delta', data: event.data }]];
    const calls = callsAfter(state.calls, event);
    const { usage, cost } = event.type === 'usage' ? addSpent(state, event.data) : state;
    const asked = askedAfter(state.asked, event);
    const doing = doingAfter(state.doing ?? 'thinking', asked, event);
    const reason = event.type === 'canceled' ? event.data.reason : state.reason;
    // Uses the calls before the event, because a call's earlier stage shows whether the client already knows it.
    const frames = framesOf({ calls: state.calls, usage, cost, doing, asked, reason }, event);
    const opening = state.doing === null ? [sessionFrame(event)] : [];
    const turning = doing !== state.doing && !saysDoing(event) ? [doingFrame(doing)] : [];
    return [{ calls, usage, cost, doing, asked, reason }, [...opening, ...turning, ...frames]];
  },
};

const NOTHING: readonly DialectFrame[] = [];

function askedAfter(asked: number, event: LogEvent): number {
  if (event.type === 'approval') return asked + 1;
  return event.type === 'approval_end' ? asked - 1 : asked;
}

function doingAfter(doing: Doing, asked: number, event: LogEvent): Doing {
  switch (event.type) {
    case 'message_start':
      return 'thinking';
    case 'tool_start':
      return 'executing';
    case 'approval':
      return 'waiting';
    case 'approval_end':
      return asked > 0 ? 'waiting' : 'executing';
    case 'state':
      return supersededBy(event.data) === null ? doing : 'thinking';
    case 'session':
      return event.data.to_state === 'paused' ? 'waiting' : 'thinking';
    default:
      return doing;
  }
}

/** These events need no extra frame: they already show what the agent is doing. */
function saysDoing({ type, data }: LogEvent): boolean {
  if (type === 'approval' || type === 'approval_end' || type === 'session') return true;
  return type === 'state' && (data.status !== 'running' || supersededBy(data) !== null);
}

function framesOf({ calls, usage, cost, doing, reason }: State, event: LogEvent): readonly DialectFrame[] {
  switch (event.type) {
    case 'state': {
      if (event.data.status !== 'running') {
        const why = reason === null ? {} : { reason };
        return [{ event: 'done', data: { status: event.data.status, ...why, usage, cost } }];
      }
      const superseded = supersededBy(event.data);
      if (superseded === null) return NOTHING;
      const { message: supersedes, cause } = superseded;
      return [{ event: 'agent_state', data: { state: doing, supersedes, ...(cause && { cause }) } }];
    }
    case 'tool_start': {
      // A later attempt may start the call again.
      const known = calls.find(({ call }) => call === event.data.call);
      return known && hasStarted(known) ? NOTHING : [{ event: 'tool_call', data: event.data }];
    }
    case 'tool_end': {
      const { call, tool } = event.data;
      const known = calls.find((each) => each.call === call);
      const result = { event: 'tool_result', data: event.data };
      if (known && hasStarted(known)) return [result];
      // The call was refused or the run ended before it started, so the client does not know the call yet.
      const input = known && toWireInput(known.requested);
      return [{ event: 'tool_call', data: { tool, input, call } }, result];
    }
    case 'operation':
    case 'entity_patch':
    case 'plan_step':
    case 'verdict':
    case 'agent_state_delta':
      return [{ event: event.type, data: event.data }];
    case 'approval':
      return [{ event: 'agent_state', data: { state: doing, approval: event.data } }];
    case 'approval_end':
      return [{ event: 'agent_state', data: { state: doing, approval_end: event.data } }];
    case 'session':
      return [{ event: 'agent_state', data: { state: doing, reason: event.data.reason } }];
    case 'mode':
      return [{ event: 'agent_state', data: { state: doing, ...event.data } }];
    case 'usage': {
      const { message, usage: used, cost: price } = event.data;
      const data = { message, tokens: used.input, usage: used, cost: price };
      return [{ event: 'context_usage', data, progress: 'usage' }];
    }
    case 'context_usage':
      return [{ event: 'context_usage', data: event.data, progress: 'context_usage' }];
    case 'error': {
      const { error, code } = event.data;
      return [{ event: 'error', data: { error, code } }];
    }
    default:
      return NOTHING;
  }
}

function sessionFrame({ threadId, runId }: LogEvent): DialectFrame {
  return { event: 'session', data: { session_id: threadId, run_id: runId } };
}

function doingFrame(doing: Doing): DialectFrame {
  return { event: 'agent_state', data: { state: doing }, progress: 'agent_state' };
}
