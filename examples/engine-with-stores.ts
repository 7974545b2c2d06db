// The engine without a server: two engines handle the messages of two agents, and presenters fill three stores.
// The stores here are in memory; in a service they would be tables that all engines share.
//
//   node examples/engine-with-stores.ts

import {
  AgentEngine,
  createSessionStorePresenter,
  createStateStorePresenter,
  createStatisticsStorePresenter,
} from '@continuo/engine';
import type {
  Driver,
  MessageEvent,
  SessionStore,
  StateEvent,
  StateStore,
  StatisticsStore,
  TurnEvent,
} from '@continuo/engine';

class MemorySessionStore implements SessionStore {
  readonly messages: { agentId: string; message: MessageEvent }[] = [];

  append(agentId: string, message: MessageEvent): void {
    this.messages.push({ agentId, message });
  }

  said(agentId: string): string {
    const texts = this.messages.flatMap((each) =>
      each.agentId === agentId && each.message.type === 'assistant_message' ? [each.message.text] : [],
    );
    return texts.map((text) => `"${text.trim()}"`).join(', ');
  }
}

class MemoryStateStore implements StateStore {
  readonly current = new Map<string, StateEvent>();

  put(agentId: string, state: StateEvent): void {
    this.current.set(agentId, state);
  }
}

class MemoryStatisticsStore implements StatisticsStore {
  readonly turns: { agentId: string; turn: TurnEvent }[] = [];

  record(agentId: string, turn: TurnEvent): void {
    this.turns.push({ agentId, turn });
  }

  summary(agentId: string): string {
    const turns = this.turns.flatMap((each) => (each.agentId === agentId ? [each.turn] : []));
    const sum = (of: (turn: TurnEvent) => number) => turns.reduce((total, turn) => total + of(turn), 0);
    const count = turns.length === 1 ? '1 turn' : `${turns.length} turns`;
    const tokens = `${sum(({ usage }) => usage.input)} tokens in, ${sum(({ usage }) => usage.output)} tokens out`;
    return `${agentId}: ${count}, ${tokens}, cost ${sum(({ cost }) => cost ?? 0)}`;
  }
}

/** Repeats every word, one token each. */
const parrot: Driver = async function* (message) {
  const words = message.content.split(' ');
  yield { type: 'message_start', at: Date.now(), messageId: `answer-to-${message.id}`, model: 'parrot' };
  for (const word of words) yield { type: 'text_delta', at: Date.now(), text: `${word}! ` };
  const usage = { input: words.length, output: words.length };
  yield { type: 'message_stop', at: Date.now(), reason: 'end', usage };
};

const sessions = new MemorySessionStore();
const states = new MemoryStateStore();
const statistics = new MemoryStatisticsStore();

function newEngine(): AgentEngine {
  return new AgentEngine({
    driver: parrot,
    presenters: [
      createSessionStorePresenter(sessions),
      createStateStorePresenter(states),
      createStatisticsStorePresenter(statistics),
    ],
    prices: { parrot: { input: 2_000_000, output: 4_000_000 } },
  });
}

// Any engine can handle any agent's next message: an engine holds only configuration.
const [first, second] = [newEngine(), newEngine()];
await Promise.all([
  first.receive('polly', { id: '1', role: 'user', content: 'who is there' }),
  second.receive('jacko', { id: '2', role: 'user', content: 'good night' }),
]);
await second.receive('polly', { id: '3', role: 'user', content: 'nobody' });

console.log(`polly said: ${sessions.said('polly')}`);
console.log(`jacko said: ${sessions.said('jacko')}`);
const at = (agentId: string) => `${agentId} is at ${states.current.get(agentId)?.type}`;
console.log(`${at('polly')}, ${at('jacko')}`);
console.log(statistics.summary('polly'));
console.log(statistics.summary('jacko'));
