// The calls of a run's last message, for dialects whose responses end while people are asked; and how dialects name calls and
// present their inputs and outputs.

import type { EventData, LogEvent } from '../events.ts';
import type { CallArguments } from '../fold/arguments.ts';
import { callsAfter, everyOpenCall, type Call } from '../fold/calls.ts';

export interface ResponseCalls {
  readonly all: readonly Call[];
  /** People are asked, and nothing else is left to do: the response ends here. */
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
      // A pod takes on a run that waited because an answer came, or because the run is to end.
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
      // A call that is canceled ends with its run: nobody waits for the other calls either.
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

/** What people are asked, where the run waits for them. */
export function openApprovals({ all, wait }: ResponseCalls): readonly EventData['approval'][] {
  return wait ? all.flatMap(({ stage }) => (stage.kind === 'waiting' ? [stage.approval] : [])) : [];
}

/** For clients that take any value: invalid arguments are the text that the model wrote. */
export function inputOrText(input: CallArguments): unknown {
  return input.ok ? input.value : input.raw;
}

/** A call's name in all the threads: also that of its result. */
export function callName(runId: string, call: string): string {
  return `${runId}:${call}`;
}

/** A tool's output as one text: the text that it consists of, or its JSON. */
export function outputText(output: unknown): string {
  if (typeof output === 'string') return output;
  if (typeof output === 'object' && output !== null && 'text' in output && typeof output.text === 'string')
    return output.text;
  const values = typeof output === 'object' && output !== null ? Object.values(output) : [];
  const [only] = values;
  // A tool that returned nothing has no JSON.
  return values.length === 1 && typeof only === 'string' ? only : (JSON.stringify(output, null, 2) ?? '');
}

/** The error that a call which failed reports. */
export function errorTextOf(output: unknown): string {
  const error = typeof output === 'object' && output !== null ? (output as { error?: unknown }).error : null;
  return typeof error === 'string' ? error : JSON.stringify(output);
}
