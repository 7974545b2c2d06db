// The calls of a run's last message, for dialects whose responses end when people must answer. Also how dialects name calls and
// present their inputs and outputs.

import type { EventData, LogEvent } from '../events.ts';
import type { CallArguments } from '../fold/arguments.ts';
import { callsAfter, everyOpenCall, type Call } from '../fold/calls.ts';

export interface ResponseCalls {
  readonly all: readonly Call[];
  /** The run only waits for people: the response ends here. */
  readonly wait: boolean;
}

export const NO_CALLS: ResponseCalls = { all: [], wait: false };

export function responseCallsAfter(calls: ResponseCalls, event: LogEvent): ResponseCalls {
  switch (event.type) {
    case 'message_start':
    case 'canceled':
    case 'error':
    case 'final':
      return NO_CALLS;
    case 'state':
      // A pod claims a waiting run again when an answer has come, or when the run is to end.
      return calls.wait ? { ...calls, wait: false } : calls;
    case 'session':
      return { all: calls.all, wait: allWait(calls.all) };
    case 'message_end':
    case 'tool_start':
    case 'approval':
    case 'approval_end':
    case 'tool_end': {
      const all = callsAfter(calls.all, event);
      if (all === calls.all) return calls;
      // A canceled call means that the run is ending, so the other calls no longer wait for people.
      const isRunEnding = event.type === 'tool_end' && event.data.outcome === 'canceled';
      return { all, wait: !isRunEnding && allWait(all) };
    }
    default:
      return calls;
  }
}

function allWait(calls: readonly Call[]): boolean {
  return everyOpenCall(calls, ({ kind }) => kind === 'waiting');
}

/** The open approvals, if the run waits for people. */
export function openApprovals({ all, wait }: ResponseCalls): readonly EventData['approval'][] {
  return wait ? all.flatMap(({ stage }) => (stage.kind === 'waiting' ? [stage.approval] : [])) : [];
}

/** For clients that accept any value: invalid arguments stay the text that the model wrote. */
export function inputOrText(input: CallArguments): unknown {
  return input.ok ? input.value : input.raw;
}

/** The id of a call, unique across all threads; also the id of its result. */
export function callName(runId: string, call: string): string {
  return `${runId}:${call}`;
}

/** A tool's output as text: its own text if it has nothing else, otherwise JSON. */
export function outputText(output: unknown): string {
  if (typeof output === 'string') return output;
  if (typeof output === 'object' && output !== null && 'text' in output && typeof output.text === 'string')
    return output.text;
  const values = typeof output === 'object' && output !== null ? Object.values(output) : [];
  const [only] = values;
  // An undefined output has no JSON.
  return values.length === 1 && typeof only === 'string' ? only : (JSON.stringify(output, null, 2) ?? '');
}

/** The error text of a failed call. */
export function errorTextOf(output: unknown): string {
  const error = typeof output === 'object' && output !== null ? (output as { error?: unknown }).error : null;
  return typeof error === 'string' ? error : JSON.stringify(output);
}
