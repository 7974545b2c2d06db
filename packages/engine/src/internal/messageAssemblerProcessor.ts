// Assembles stream events into whole messages.
//
// Invariants:
// 1. `message_stop` emits one `assistant_message`; an error or an interruption emits one
//    only if the model had produced anything. After that nothing is emitted.
// 2. Its text is the text deltas, joined in their order, however they were split.
// 3. Parts stand in the order in which they started.
// 4. A call is emitted once: its `tool_use_message` and its part come together or not at all,
//    and events that follow for the same call are ignored.
// 5. Starts may be missing. A delta or a stop opens its block, a later start gives the name.
//    Until a start has come, the name of a message or of a tool is ''.

import type { MessageEvent, StopReason, StreamEvent } from '../events.ts';
import { stay } from '../mealy.ts';
import type { Processor } from '../mealy.ts';
import { append, closeBlock, nameCall, openBlock } from './openMessage.ts';
import type { OpenMessage, Slot } from './openMessage.ts';

export type MessageAssemblerState = OpenMessage | { readonly kind: 'ended' };

type Step = readonly [MessageAssemblerState, readonly MessageEvent[]];
type EventOf<Type> = Extract<StreamEvent, { type: Type }>;
type ToolInputEvent = EventOf<'tool_input_start' | 'tool_input_delta' | 'tool_input_stop'>;
type EndEvent = EventOf<'message_stop' | 'stream_error' | 'stream_interrupted'>;

export const initialMessageAssemblerState: MessageAssemblerState = {
  kind: 'open',
  messageId: '',
  model: undefined,
  blocks: [],
  parts: [],
};

const text: Slot = { kind: 'text' };
const reasoning: Slot = { kind: 'reasoning' };

export const messageAssemblerProcessor: Processor<MessageAssemblerState, StreamEvent, MessageEvent> = (
  state,
  event,
) => {
  if (state.kind === 'ended') return stay(state);
  switch (event.type) {
    case 'message_start':
      return stay(nameMessage(state, event));
    case 'text_block_start':
      return stay(openBlock(closeBlock(state, text), text));
    case 'text_delta':
      return stay(append(state, text, event.text));
    case 'text_block_stop':
      return stay(closeBlock(append(state, text, ''), text, event.metadata));
    case 'reasoning_block_start':
      return stay(openBlock(closeBlock(state, reasoning), reasoning));
    case 'reasoning_delta':
      return stay(append(state, reasoning, event.text));
    case 'reasoning_block_stop':
      return stay(closeBlock(append(state, reasoning, ''), reasoning, event.metadata));
    case 'tool_input_start':
    case 'tool_input_delta':
    case 'tool_input_stop':
      return isEmitted(state, event.callId) ? stay(state) : toolInput(state, event);
    case 'tool_result':
      return [state, [toolResultMessage(event)]];
    case 'message_stop':
    case 'stream_error':
    case 'stream_interrupted':
      return end(state, event);
    default:
      return stay(state);
  }
};

/** The first start gives the name; a repeated one changes nothing. */
function nameMessage(state: OpenMessage, event: EventOf<'message_start'>): OpenMessage {
  return state.messageId === '' ? { ...state, messageId: event.messageId, model: event.model } : state;
}

function isEmitted(state: OpenMessage, callId: string): boolean {
  return state.parts.some((part) => part?.kind === 'tool_call' && part.callId === callId);
}

function toolInput(state: OpenMessage, event: ToolInputEvent): Step {
  const call: Slot = { kind: 'tool_call', callId: event.callId, tool: '' };
  switch (event.type) {
    case 'tool_input_start':
      return stay(nameCall(state, { ...call, tool: event.tool }));
    case 'tool_input_delta':
      return stay(append(state, call, event.text));
    case 'tool_input_stop': {
      const closed = closeBlock(append(state, call, ''), call, event.metadata);
      return [closed, newCallMessages(state, closed, event.at)];
    }
  }
}

function end(state: OpenMessage, event: EndEvent): Step {
  const keepsCalls = event.type === 'message_stop' && !cutsCalls(event.reason);
  const closed = state.blocks
    .filter((block) => keepsCalls || block.slot.kind !== 'tool_call')
    .reduce((message, block) => closeBlock(message, block.slot), state);
  const produced = closed.parts.some((part) => part !== null);
  if (event.type !== 'message_stop' && !produced) return stay({ kind: 'ended' });
  return [{ kind: 'ended' }, [...newCallMessages(state, closed, event.at), assistantMessage(closed, event)]];
}

/** The model may have been stopped before the input was complete: such a call must not run. */
function cutsCalls(reason: StopReason): boolean {
  return reason === 'length' || reason === 'filtered';
}

function assistantMessage({ messageId, model, parts }: OpenMessage, event: EndEvent): MessageEvent {
  const written = parts.filter((part) => part !== null);
  return {
    type: 'assistant_message',
    at: event.at,
    messageId,
    text: written.map((part) => (part.kind === 'text' ? part.text : '')).join(''),
    parts: written,
    ...ending(event),
    ...(model === undefined ? {} : { model }),
  };
}

function ending(event: EndEvent) {
  if (event.type === 'stream_interrupted') return { ended: 'interrupted' } as const;
  if (event.type === 'stream_error') return { ended: 'error' } as const;
  const { reason, usage, metadata } = event;
  return { ended: 'complete', reason, usage, ...(metadata === undefined ? {} : { metadata }) } as const;
}

/** A message for each call whose part is new in `after`. */
function newCallMessages(before: OpenMessage, after: OpenMessage, at: number): readonly MessageEvent[] {
  return after.parts.flatMap((part, position): readonly MessageEvent[] => {
    if (part?.kind !== 'tool_call' || part === before.parts[position]) return [];
    const { callId, tool, input } = part;
    return [{ type: 'tool_use_message', at, messageId: after.messageId, callId, tool, input }];
  });
}

function toolResultMessage(event: EventOf<'tool_result'>): MessageEvent {
  const { at, callId, tool, output, failed = false } = event;
  return { type: 'tool_result_message', at, callId, tool, output, failed };
}
