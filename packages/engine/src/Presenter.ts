// A presenter takes events out of the engine, one at a time, and is awaited before the
// next one. A plain function gets every event of all four layers; the helpers here give
// a handler the events of one layer, with their types.

import type { EngineEvent, MessageEvent, StateEvent, StreamEvent, TurnEvent } from './events.ts';
import { isMessageEvent, isStateEvent, isStreamEvent, isTurnEvent } from './internal/index.ts';

/** A presenter that returns nothing is not awaited; one that throws or rejects makes `receive` reject. */
export type Presenter<Event = EngineEvent> = (agentId: string, event: Event) => void | Promise<void>;

export function createStreamPresenter(handler: Presenter<StreamEvent>): Presenter {
  return (agentId, event) => (isStreamEvent(event) ? handler(agentId, event) : undefined);
}

export function createMessagePresenter(handler: Presenter<MessageEvent>): Presenter {
  return (agentId, event) => (isMessageEvent(event) ? handler(agentId, event) : undefined);
}

export function createStatePresenter(handler: Presenter<StateEvent>): Presenter {
  return (agentId, event) => (isStateEvent(event) ? handler(agentId, event) : undefined);
}

export function createTurnPresenter(handler: Presenter<TurnEvent>): Presenter {
  return (agentId, event) => (isTurnEvent(event) ? handler(agentId, event) : undefined);
}
