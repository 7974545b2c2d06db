// The calls of a run's last message, as dialects follow them: which are open, and whether the run waits for people to decide.

import type { MessagePart } from '@continuo/engine';
import type { EventData, LogEvent } from '../events.ts';

export interface Call {
  readonly call: string;
  readonly tool: string;
  /** What the model wrote where it was not JSON is a string. */
  readonly input: unknown;
  readonly stage: 'open' | 'asked' | 'ended';
  /** What a person was asked about it, last. */
  readonly question: EventData['approval'] | null;
}

export interface Calls {
  readonly all: readonly Call[];
  /** People are asked, and nothing else is left to do. */
  readonly wait: boolean;
}

export const NO_CALLS: Calls = { all: [], wait: false };

export function callsAfter(calls: Calls, event: LogEvent): Calls {
  switch (event.type) {
    case 'message_start':
    case 'canceled':
    case 'error':
    case 'final':
      return NO_CALLS;
    case 'message_end':
      return { all: callsIn(event.data.parts), wait: false };
    case 'tool_start':
      return changed(calls, event.data.call, { stage: 'open' });
    case 'approval':
      // A call that asks a question is being made, and goes on by itself.
      if (event.data.kind === 'question') return calls;
      return changed(calls, event.data.call, { stage: 'asked', question: event.data });
    case 'approval_end': {
      const { approval, call, input } = event.data;
      const asked = calls.all.find((each) => each.call === call)?.question;
      if (asked?.approval !== approval) return calls;
      return changed(calls, call, { stage: 'open', ...(input !== undefined && { input }) });
    }
    case 'tool_end': {
      const after = changed(calls, event.data.call, { stage: 'ended' });
      // The run is being ended: nobody waits for the others either.
      return event.data.outcome === 'canceled' ? { ...after, wait: false } : after;
    }
    case 'state':
      // Who takes a run on that waited has something to do: an answer came, or it is to end.
      return calls.wait ? { ...calls, wait: false } : calls;
    case 'session':
      return waiting(calls.all);
    default:
      return calls;
  }
}

function callsIn(parts: readonly MessagePart[]): readonly Call[] {
  return parts.flatMap((part): Call[] => {
    if (part.kind !== 'tool_call') return [];
    const input = part.input.kind === 'json' ? part.input.value : part.input.text;
    return [{ call: part.callId, tool: part.tool, input, stage: 'open', question: null }];
  });
}

function changed({ all }: Calls, call: string, change: Partial<Call>): Calls {
  return waiting(all.map((each) => (each.call === call ? { ...each, ...change } : each)));
}

function waiting(all: readonly Call[]): Calls {
  const left = all.filter(({ stage }) => stage !== 'ended');
  return { all, wait: left.length > 0 && left.every(({ stage }) => stage === 'asked') };
}

/** What people are asked, where the run waits for them. */
export function questionsOf({ all, wait }: Calls): readonly EventData['approval'][] {
  return wait ? all.filter(({ stage }) => stage === 'asked').map(({ question }) => question!) : [];
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

/** What a call that failed says of itself. */
export function problemOf(output: unknown): string {
  const error = typeof output === 'object' && output !== null ? (output as { error?: unknown }).error : null;
  return typeof error === 'string' ? error : JSON.stringify(output);
}
