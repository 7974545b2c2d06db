// Plays scripted streams through a real engine and returns what its presenters saw.

import { AgentEngine } from '@continuo/engine';
import type { Driver, EngineEvent, Prices, StreamEvent } from '@continuo/engine';

export interface Script {
  readonly events: readonly StreamEvent[];
  /** The error that the driver throws after its events. */
  readonly thrown?: unknown;
  /** How many turns of the microtask queue the driver waits before each event. */
  readonly ticks?: readonly number[];
}

export const scriptedDriver: Driver<Script> = async function* (script) {
  for (const [index, event] of script.events.entries()) {
    for (let tick = script.ticks?.[index] ?? 0; tick > 0; tick -= 1) await Promise.resolve();
    yield event;
  }
  if ('thrown' in script) throw script.thrown;
};

export async function play(
  script: Script | readonly StreamEvent[],
  prices: Prices = {},
): Promise<EngineEvent[]> {
  const seen: EngineEvent[] = [];
  const engine = new AgentEngine<Script>({
    driver: scriptedDriver,
    presenters: [(_agentId, event) => void seen.push(event)],
    prices,
  });
  await engine.receive('agent', 'events' in script ? script : { events: script });
  return seen;
}

type EventOf<Type> = Extract<EngineEvent, { type: Type }>;

export function only<Type extends EngineEvent['type']>(
  events: readonly EngineEvent[],
  ...types: Type[]
): EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => (types as string[]).includes(event.type));
}

export function typesOf(events: readonly EngineEvent[]): string[] {
  return events.map((event) => event.type);
}

/** An answer of one text block; each event's time is its index in the stream. */
export function answer(...deltas: string[]): StreamEvent[] {
  return [
    { type: 'message_start', at: 0, messageId: 'message-1', model: 'small' },
    { type: 'text_block_start', at: 1 },
    ...deltas.map((text, index): StreamEvent => ({ type: 'text_delta', at: index + 2, text })),
    { type: 'text_block_stop', at: deltas.length + 2 },
    { type: 'message_stop', at: deltas.length + 3, reason: 'end', usage: { input: 10, output: 5 } },
  ];
}

export function call(callId: string, tool: string, ...deltas: string[]): StreamEvent[] {
  return [
    { type: 'tool_input_start', at: 1, callId, tool },
    ...deltas.map((text): StreamEvent => ({ type: 'tool_input_delta', at: 2, callId, text })),
    { type: 'tool_input_stop', at: 3, callId },
  ];
}

export const start: StreamEvent = { type: 'message_start', at: 0, messageId: 'message-1' };
export const stop: StreamEvent = {
  type: 'message_stop',
  at: 9,
  reason: 'end',
  usage: { input: 1, output: 1 },
};
