// Which event belongs to which of the four layers. The compiler keeps the table complete
// and every entry right; an event of a type that is not in it belongs to no layer.

import type { EngineEvent, MessageEvent, StateEvent, StreamEvent, TurnEvent } from '../events.ts';

type LayerOf<Type> = Type extends StreamEvent['type']
  ? 'stream'
  : Type extends MessageEvent['type']
    ? 'message'
    : Type extends StateEvent['type']
      ? 'state'
      : 'turn';

const layers: { readonly [Type in EngineEvent['type']]: LayerOf<Type> } = {
  message_start: 'stream',
  text_block_start: 'stream',
  text_delta: 'stream',
  text_block_stop: 'stream',
  reasoning_block_start: 'stream',
  reasoning_delta: 'stream',
  reasoning_block_stop: 'stream',
  tool_input_start: 'stream',
  tool_input_delta: 'stream',
  tool_input_stop: 'stream',
  tool_result: 'stream',
  message_stop: 'stream',
  stream_error: 'stream',
  stream_interrupted: 'stream',
  assistant_message: 'message',
  tool_use_message: 'message',
  tool_result_message: 'message',
  conversation_start: 'state',
  conversation_thinking: 'state',
  conversation_responding: 'state',
  tool_planned: 'state',
  tool_executing: 'state',
  conversation_end: 'state',
  conversation_interrupted: 'state',
  error_occurred: 'state',
  turn_response: 'turn',
};

export function isStreamEvent(event: EngineEvent): event is StreamEvent {
  return layers[event.type] === 'stream';
}

export function isMessageEvent(event: EngineEvent): event is MessageEvent {
  return layers[event.type] === 'message';
}

export function isStateEvent(event: EngineEvent): event is StateEvent {
  return layers[event.type] === 'state';
}

export function isTurnEvent(event: EngineEvent): event is TurnEvent {
  return layers[event.type] === 'turn';
}
