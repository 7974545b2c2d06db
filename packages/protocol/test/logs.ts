// Logs of runs, made by hand, and what a response in a dialect says of a stretch of them.

import type { MessagePart } from '@continuo/engine';
import type { EventData, LogEvent, NewEvent, RunDialect } from '@continuo/protocol';

export const RUN = '0190a0b0-0000-7000-8000-00000000000a';
export const ASKED = '0190a0b0-0000-7000-8000-0000000000b1';

export function logged(events: readonly NewEvent[]): LogEvent[] {
  return events.map((event, index) => ({
    ...event,
    threadId: 't',
    seq: index + 1,
    runId: RUN,
    runSeq: index + 1,
    attempt: 1,
    at: new Date(0),
  }));
}

/** What a response says that begins after so many events, and sees the rest of the log. */
export function respond<State>(dialect: RunDialect<State>, log: readonly LogEvent[], after = 0): object[] {
  let state = dialect.initial;
  const said: unknown[] = [];
  for (const [index, event] of log.entries()) {
    if (index === after) said.push(...dialect.opening(state).map(({ data }) => data));
    const [next, frames] = dialect.step(state, event);
    state = next;
    if (index >= after) said.push(...frames.map(({ data }) => data));
  }
  said.push(...(dialect.closing(state) ?? []).map(({ data }) => data));
  return said as object[];
}

const running: NewEvent = { type: 'state', data: { status: 'running', attempt: 1 } };
const user: NewEvent = { type: 'message', data: { id: 'u1', role: 'user', content: 'hello' } };
export const begin = [running, user];
export const done: NewEvent = { type: 'state', data: { status: 'done' } };

export const start = (message: string): NewEvent => ({
  type: 'message_start',
  data: { message, model: 'offline/script' },
});
export const token = (message: string, text: string): NewEvent => ({
  type: 'token',
  data: { message, text },
});
export const thought = (message: string, text: string): NewEvent => ({
  type: 'reasoning',
  data: { message, text },
});
export const call = (callId: string, tool: string, value: unknown): MessagePart => ({
  kind: 'tool_call',
  callId,
  tool,
  input: { kind: 'json', value },
});
export const end = (message: string, text: string, ...calls: MessagePart[]): NewEvent => ({
  type: 'message_end',
  data: {
    message,
    text,
    parts: [...(text === '' ? [] : [{ kind: 'text' as const, text }]), ...calls],
    ended: 'complete',
    reason: calls.length > 0 ? 'tool_use' : 'end',
  },
});
export const usage = (message: string): NewEvent => ({
  type: 'usage',
  data: { message, model: 'offline/script', usage: { input: 10, output: 5 }, cost: 0.25, duration_ms: 3 },
});
export const tool = (id: string, name: string, input: unknown, output: unknown): NewEvent[] => [
  { type: 'tool_start', data: { call: id, tool: name, input, title: `does ${name}` } },
  { type: 'tool_end', data: { call: id, tool: name, output, success: true } },
];
export const ask = (id: string, approval: string): NewEvent => ({
  type: 'approval',
  data: {
    approval,
    kind: 'call',
    call: id,
    tool: 'send',
    input: { to: 'a' },
    paths: ['/x'],
    reason: 'rule 1 says ask',
  },
});
export const answer = (
  id: string,
  approval: string,
  decision: EventData['approval_end']['decision'],
  input?: unknown,
): NewEvent => ({
  type: 'approval_end',
  data: { approval, call: id, tool: 'send', decision, ...(input !== undefined && { input }) },
});
export const final = (text: string): NewEvent[] => [
  { type: 'final', data: { text, sources: [], message: 'm2' } },
  done,
];
