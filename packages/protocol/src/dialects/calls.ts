// The calls of a run's last message, as dialects follow them: which are open, and which wait for a person.

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

type CallEvent = Extract<LogEvent, { type: 'tool_start' | 'approval' | 'approval_end' | 'tool_end' }>;

export function callsIn(parts: readonly MessagePart[]): readonly Call[] {
  return parts.flatMap((part): Call[] => {
    if (part.kind !== 'tool_call') return [];
    const input = part.input.kind === 'json' ? part.input.value : part.input.text;
    return [{ call: part.callId, tool: part.tool, input, stage: 'open', question: null }];
  });
}

export function afterCall(calls: readonly Call[], event: CallEvent): readonly Call[] {
  return calls.map((call) => (call.call === event.data.call ? next(call, event) : call));
}

function next(call: Call, event: CallEvent): Call {
  switch (event.type) {
    case 'tool_start':
      return { ...call, stage: 'open' };
    case 'approval':
      return { ...call, stage: 'asked', question: event.data };
    case 'approval_end':
      return { ...call, stage: 'open', ...('input' in event.data && { input: event.data.input }) };
    case 'tool_end':
      return { ...call, stage: 'ended' };
  }
}

/** What people are asked, where nothing else is left to do; empty while something is. */
export function questionsOf(calls: readonly Call[]): readonly EventData['approval'][] {
  const left = calls.filter(({ stage }) => stage !== 'ended');
  if (!left.every(({ stage }) => stage === 'asked')) return [];
  return left.map(({ question }) => question!);
}

/** A call's name in all the threads: also that of its result. */
export function callName(runId: string, call: string): string {
  return `${runId}:${call}`;
}

/** What a call that failed says of itself. */
export function problemOf(output: unknown): string {
  const error = typeof output === 'object' && output !== null ? (output as { error?: unknown }).error : null;
  return typeof error === 'string' ? error : JSON.stringify(output);
}
