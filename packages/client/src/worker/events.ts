// What an answer yields, and how it becomes events.

import type { Schemas } from '../http.ts';

export type ExecutorEvent = Schemas['ExecutorEvent'];
type EventOf<T extends ExecutorEvent['type']> = Extract<ExecutorEvent, { type: T }>;

/** Calls a tool of the server. The next answer of the run has its result. */
export function toolCall(
  tool: string,
  input: Readonly<Record<string, unknown>> = {},
  call?: string,
): EventOf<'tool_call'> {
  return { type: 'tool_call', tool, input: { ...input }, ...(call !== undefined && { call }) };
}

/** Asks a person. With a flat JSON Schema, the person gets a form. The next answer of the run has what the person said. */
export function ask(
  question: string,
  { schema, call }: { readonly schema?: object; readonly call?: string } = {},
): EventOf<'tool_call'> {
  return toolCall('ask_person', { question, ...(schema && { schema }) }, call);
}

/** Ends the answer. It is only needed to store a state or to report usage: an answer that returns is finished. */
export function finish(more: Omit<EventOf<'finish'>, 'type'> = {}): EventOf<'finish'> {
  return { type: 'finish', ...more };
}

/** At most 600 kB of JSON each, which a batch can hold. */
const PIECE_CHARACTERS = 100_000;

/** The events of what was yielded. A long text becomes several. */
export function eventsOf(yielded: string | ExecutorEvent): readonly ExecutorEvent[] {
  const event: ExecutorEvent = typeof yielded === 'string' ? { type: 'text', text: yielded } : yielded;
  if (event.type !== 'text' && event.type !== 'reasoning') return [event];
  if (event.text.length <= PIECE_CHARACTERS) return [event];
  const { type, text } = event;
  const events: ExecutorEvent[] = [];
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + PIECE_CHARACTERS, text.length);
    // The two halves of a character stay together.
    if (end < text.length && /[\ud800-\udbff]/.test(text[end - 1]!)) end -= 1;
    events.push({ type, text: text.slice(start, end) });
    start = end;
  }
  return events;
}
