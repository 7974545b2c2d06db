// The `agent` dialect: one run as an agent's turn. It begins with `session` and ends with `done`, with `error` before it if
// the run failed.

import type { LogEvent } from '../events.ts';
import { accountAfter, NO_ACCOUNT, type Account } from './account.ts';
import type { Dialect, DialectFrame } from './dialect.ts';

type Doing = 'thinking' | 'executing' | 'waiting';

interface State {
  readonly account: Account;
  /** Null before the first event. */
  readonly doing: Doing | null;
  /** How many approvals it waits for. */
  readonly asked: number;
  /** Why it was canceled. */
  readonly reason: string | null;
}

export const agent: Dialect<State> = {
  name: 'agent',
  initial: { account: NO_ACCOUNT, doing: null, asked: 0, reason: null },
  step(state, event) {
    const account = accountAfter(state.account, event);
    if (event.type === 'token') return [{ ...state, account }, [{ event: 'text_delta', data: event.data }]];
    const asked = askedAfter(state.asked, event);
    const doing = doingAfter(state.doing ?? 'thinking', asked, event);
    const reason = event.type === 'canceled' ? event.data.reason : state.reason;
    const frames = framesOf({ account: state.account, doing, asked, reason }, event);
    const opening = state.doing === null ? [sessionFrame(event)] : [];
    const turning = doing !== state.doing && !saysDoing(event) ? [doingFrame(doing)] : [];
    return [{ account, doing, asked, reason }, [...opening, ...turning, ...frames]];
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
      return event.data.status === 'running' && event.data.supersedes !== undefined ? 'thinking' : doing;
    case 'session':
      return event.data.to_state === 'paused' ? 'waiting' : 'thinking';
    default:
      return doing;
  }
}

/** These say themselves what the agent does, and more. */
function saysDoing({ type, data }: LogEvent): boolean {
  if (type === 'approval' || type === 'approval_end' || type === 'session') return true;
  return type === 'state' && (data.status !== 'running' || data.supersedes !== undefined);
}

function framesOf({ account, doing, reason }: State, event: LogEvent): readonly DialectFrame[] {
  switch (event.type) {
    case 'state': {
      if (event.data.status !== 'running') {
        const { usage, cost } = account;
        const why = reason === null ? {} : { reason };
        return [{ event: 'done', data: { status: event.data.status, ...why, usage, cost } }];
      }
      const { supersedes, cause } = event.data;
      return supersedes === undefined
        ? NOTHING
        : [{ event: 'agent_state', data: { state: doing, supersedes, ...(cause && { cause }) } }];
    }
    case 'tool_start':
      // Another attempt may say it again.
      return account.calls.get(event.data.call)?.told ? NOTHING : [{ event: 'tool_call', data: event.data }];
    case 'tool_end': {
      const { call, tool } = event.data;
      const known = account.calls.get(call);
      const result = { event: 'tool_result', data: event.data };
      if (known?.told) return [result];
      // It was refused, or the run ended before it: nobody has heard of it yet.
      return [{ event: 'tool_call', data: { tool, input: known?.input, call } }, result];
    }
    case 'approval':
      return [{ event: 'agent_state', data: { state: doing, approval: event.data } }];
    case 'approval_end':
      return [{ event: 'agent_state', data: { state: doing, approval_end: event.data } }];
    case 'session':
      return [{ event: 'agent_state', data: { state: doing, reason: event.data.reason } }];
    case 'usage': {
      const { message, usage, cost } = event.data;
      return [
        { event: 'context_usage', data: { message, tokens: usage.input, usage, cost }, progress: 'usage' },
      ];
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
