// Stores for data that outlives a `receive`, and the presenters that fill them. The engine
// never calls a store: to fill one, give its presenter to the engine.

import type { MessageEvent, StateEvent, TurnEvent } from './events.ts';
import { createMessagePresenter, createStatePresenter, createTurnPresenter } from './Presenter.ts';
import type { Presenter } from './Presenter.ts';

/** The messages of each agent, in order. */
export interface SessionStore {
  append(agentId: string, message: MessageEvent): void | Promise<void>;
}

/** What each agent is doing now: the newest state replaces the one before. */
export interface StateStore {
  put(agentId: string, state: StateEvent): void | Promise<void>;
}

/** Cost, tokens and duration of each turn. */
export interface StatisticsStore {
  record(agentId: string, turn: TurnEvent): void | Promise<void>;
}

export function createSessionStorePresenter(store: SessionStore): Presenter {
  return createMessagePresenter((agentId, message) => store.append(agentId, message));
}

export function createStateStorePresenter(store: StateStore): Presenter {
  return createStatePresenter((agentId, state) => store.put(agentId, state));
}

export function createStatisticsStorePresenter(store: StatisticsStore): Presenter {
  return createTurnPresenter((agentId, turn) => store.record(agentId, turn));
}
