// The engine's one processor: three machines side by side, each seeing every input.
//
// Inputs are the driver's stream events and the processor's own outputs, which the engine
// gives back to it: that is how the turn tracker sees messages it did not assemble itself.
// Outputs of one input come in a fixed order: messages, then state, then turn.

import type { EngineEvent, MessageEvent, StateEvent, TurnEvent } from './events.ts';
import {
  createTurnTrackerProcessor,
  initialMessageAssemblerState,
  initialStateMachineState,
  initialTurnTrackerState,
  isStreamEvent,
  messageAssemblerProcessor,
  stateMachineProcessor,
} from './internal/index.ts';
import type { MessageAssemblerState, Prices, StateMachineState, TurnTrackerState } from './internal/index.ts';
import { combine, filter } from './mealy.ts';
import type { Processor } from './mealy.ts';

export interface AgentState {
  readonly message: MessageAssemblerState;
  readonly conversation: StateMachineState;
  readonly turn: TurnTrackerState;
}

export type AgentOutput = MessageEvent | StateEvent | TurnEvent;
export type AgentProcessor = Processor<AgentState, EngineEvent, AgentOutput>;

export const initialAgentState: AgentState = {
  message: initialMessageAssemblerState,
  conversation: initialStateMachineState,
  turn: initialTurnTrackerState,
};

export function createAgentProcessor(prices: Prices = {}): AgentProcessor {
  return combine<AgentState, EngineEvent, AgentOutput>({
    message: filter(isStreamEvent, messageAssemblerProcessor),
    conversation: stateMachineProcessor,
    turn: createTurnTrackerProcessor(prices),
  });
}
