// The public names of the engine.

export { AgentEngine } from './AgentEngine.ts';
export type { AgentEngineConfiguration } from './AgentEngine.ts';
export { createAgentProcessor, initialAgentState } from './AgentProcessor.ts';
export type { AgentOutput, AgentProcessor, AgentState } from './AgentProcessor.ts';
export type { Driver, UserMessage } from './Driver.ts';
export type {
  EngineEvent,
  MessageEvent,
  MessagePart,
  Metadata,
  StateEvent,
  StopReason,
  StreamEvent,
  ToolInput,
  TurnEvent,
  Usage,
} from './events.ts';
export { isJsonTooDeep, JSON_DEPTH, jsonExcess } from './jsonDepth.ts';
export type { JsonLimits } from './jsonDepth.ts';
export type { Price, Prices } from './internal/index.ts';
export { chain, combine, filter, map } from './mealy.ts';
export type { Processor } from './mealy.ts';
export {
  createMessagePresenter,
  createStatePresenter,
  createStreamPresenter,
  createTurnPresenter,
} from './Presenter.ts';
export type { Presenter } from './Presenter.ts';
export {
  createSessionStorePresenter,
  createStateStorePresenter,
  createStatisticsStorePresenter,
} from './Stores.ts';
export type { SessionStore, StateStore, StatisticsStore } from './Stores.ts';
