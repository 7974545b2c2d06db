// The names that the rest of the engine uses of its internal processors. Only this file is imported from outside the folder.

export { DriverStream } from './driverStream.ts';
export { isMessageEvent, isStateEvent, isStreamEvent, isTurnEvent } from './layers.ts';
export { initialMessageAssemblerState, messageAssemblerProcessor } from './messageAssemblerProcessor.ts';
export type { MessageAssemblerState } from './messageAssemblerProcessor.ts';
export { initialStateMachineState, stateMachineProcessor } from './stateMachineProcessor.ts';
export type { StateMachineState } from './stateMachineProcessor.ts';
export { createTurnTrackerProcessor, initialTurnTrackerState } from './turnTrackerProcessor.ts';
export type { Price, Prices, TurnTrackerState } from './turnTrackerProcessor.ts';
