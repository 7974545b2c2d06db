// What the tests of the offline model share: a world without time, talks with the model, and tools for it to call.

import { expect } from 'vitest';
import type { MessagePart, StreamEvent } from '@continuo/engine';
import {
  createOfflineModel,
  type HistoryMessage,
  type OfflineModel,
  type OfflineWorld,
  type ToolSchema,
} from '../src/index.ts';

/** A world whose clock moves only when somebody sleeps. */
export function createWorld(): OfflineWorld & { readonly slept: number[] } {
  let now = 1000;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    sleep: async (ms) => {
      slept.push(ms);
      now += ms;
    },
  };
}

export function modelOf(id: string, world: OfflineWorld = createWorld()): OfflineModel {
  const model = createOfflineModel({ id, world, mostCalls: 1000 });
  if (!model) throw new Error(`no model ${id}`);
  return model;
}

const never = new AbortController().signal;

export interface Asked {
  readonly history: readonly HistoryMessage[];
  readonly tools?: readonly ToolSchema[];
  readonly system?: string;
  readonly messageId?: string;
  readonly signal?: AbortSignal;
}

export async function ask(
  model: OfflineModel,
  { history, tools = [], system = '', messageId = 'answer', signal = never }: Asked,
): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of model.stream({ messageId, system, history, tools, signal })) events.push(event);
  return events;
}

export const user = (content: string, id = 'question'): HistoryMessage => ({ role: 'user', id, content });
export const textOf = (events: readonly StreamEvent[]): string =>
  events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('');

export function callsOf(events: readonly StreamEvent[]): { callId: string; tool: string; text: string }[] {
  const calls = new Map<string, { callId: string; tool: string; text: string }>();
  for (const event of events) {
    if (event.type === 'tool_input_start')
      calls.set(event.callId, { callId: event.callId, tool: event.tool, text: '' });
    const call = event.type === 'tool_input_delta' ? calls.get(event.callId) : undefined;
    if (call && event.type === 'tool_input_delta') call.text += event.text;
  }
  return [...calls.values()];
}

function messageOf(events: readonly StreamEvent[], id: string): HistoryMessage {
  const parts: MessagePart[] = [];
  if (textOf(events) !== '') parts.push({ kind: 'text', text: textOf(events) });
  for (const { callId, tool, text } of callsOf(events))
    parts.push({ kind: 'tool_call', callId, tool, input: { kind: 'json', value: JSON.parse(text) } });
  return { role: 'assistant', id, parts };
}

type Outcome = { readonly output: unknown; readonly failed?: boolean };
export interface Talk {
  readonly history: HistoryMessage[];
  /** The calls of each step. */
  readonly steps: [tool: string, input: unknown][][];
  readonly text: string;
}

/** Drives the model as the run loop does: calls, results, calls …, until it only speaks. */
export async function talk(
  history: readonly HistoryMessage[],
  tools: readonly ToolSchema[],
  run: (tool: string, input: unknown) => Outcome = () => ({ output: 'ok' }),
): Promise<Talk> {
  const model = modelOf('offline/instant');
  const log = [...history];
  const steps: Talk['steps'] = [];
  for (let step = 0; step < 50; step += 1) {
    const events = await ask(model, { history: log, tools, messageId: `message-${log.length}` });
    expect(events.at(-1)?.type).toBe('message_stop');
    const message = messageOf(events, `message-${log.length}`);
    log.push(message);
    const calls =
      message.role === 'assistant' ? message.parts.filter((part) => part.kind === 'tool_call') : [];
    if (calls.length === 0) return { history: log, steps, text: textOf(events) };
    const inputs = calls.map((call): [string, unknown] => [
      call.tool,
      call.input.kind === 'json' ? call.input.value : null,
    ]);
    steps.push(inputs);
    for (const [index, call] of calls.entries()) {
      const { output, failed = false } = run(...(inputs[index] ?? ['', null]));
      log.push({ role: 'tool', callId: call.callId, tool: call.tool, output, failed });
    }
  }
  throw new Error('the model never came to an end');
}

export const plan = async (text: string, tools: readonly ToolSchema[]): Promise<Talk['steps']> =>
  (await talk([user(text)], tools)).steps;

export const linesOf = (text: string): string[] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim());

const NAMES = ['ls', 'read', 'write', 'edit', 'move', 'remove', 'glob', 'grep', 'history', 'diff', 'restore'];

/** What is in a tool's schema does not matter to the model. */
export const toolsNamed = (names: readonly string[]): readonly ToolSchema[] =>
  names.map((name) => ({ name, description: `The tool ${name}.`, input: { type: 'object' } }));

/** The tools that an assistant has. */
export const everything = toolsNamed([...NAMES, 'exec', 'tracker__find']);
