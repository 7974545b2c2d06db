// The `workspace` dialect: a chat's pipe, one stream across its runs and sessions. What people said; what was thought,
// said, called and seen; how each run ended; and every change of the session's state.

import type { EventData, LogEvent } from '../events.ts';
import { accountAfter, NO_ACCOUNT, type Account } from './account.ts';
import { outputText } from './calls.ts';
import type { Dialect, DialectFrame } from './dialect.ts';

export const workspace: Dialect<Account> = {
  name: 'workspace',
  initial: NO_ACCOUNT,
  step: (account, event) => [accountAfter(account, event), framesOf(account, event)],
};

const NOTHING: readonly DialectFrame[] = [];

function framesOf(account: Account, event: LogEvent): readonly DialectFrame[] {
  switch (event.type) {
    case 'token':
      return [{ event: 'chunk', data: event.data }];
    case 'reasoning':
      return [{ event: 'thought', data: event.data }];
    case 'message':
      return [{ event: 'message', data: { ...event.data, run: event.runId } }];
    case 'state': {
      if (event.data.status !== 'running' || event.data.supersedes === undefined) return NOTHING;
      const { supersedes, attempt, cause } = event.data;
      const data = { message: supersedes, attempt, run: event.runId, ...(cause && { cause }) };
      return [{ event: 'superseded', data }];
    }
    case 'tool_start':
      // Another attempt may say it again.
      return account.calls.get(event.data.call)?.told ? NOTHING : [callFrame(event.data)];
    case 'tool_end': {
      const { call, tool } = event.data;
      const known = account.calls.get(call);
      const { output, ...rest } = event.data;
      const data = { ...rest, output: outputText(output), data: output };
      const observation = { event: 'observation', data };
      if (known?.told) return [observation];
      // It was refused, or the run ended before it: nobody has heard of it yet.
      return [callFrame({ tool, input: known?.input, call }), observation];
    }
    case 'final': {
      const { text, sources, message } = event.data;
      const metadata = { run: event.runId, message, sources, cost: account.cost };
      return [{ event: 'done', data: { message: text, usage: account.usage, metadata } }];
    }
    case 'canceled': {
      // One that was canceled in the queue said nothing, whatever the run that is open says.
      const partial_response = event.runId === account.run ? account.text : '';
      return [{ event: 'stopped', data: { ...event.data, partial_response, run: event.runId } }];
    }
    case 'session':
      return [{ event: 'state_changed', data: stateChanged(account, event.data) }];
    case 'context_usage':
      return [{ event: 'context_usage', data: event.data, progress: 'context_usage' }];
    case 'file_updated':
    case 'approval':
    case 'approval_end':
    case 'rewound':
    case 'titled':
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

/** Of a move, where it begins. */
function pathIn(input: unknown): string | null {
  const { path, from } = (input ?? {}) as { path?: unknown; from?: unknown };
  return typeof path === 'string' ? path : typeof from === 'string' ? from : null;
}

/** A run that failed says why its session did. */
function stateChanged({ failure }: Account, data: EventData['session']): unknown {
  if (data.to_state !== 'error' || failure === null) return data;
  return { ...data, reason: failure.error, code: failure.code };
}
