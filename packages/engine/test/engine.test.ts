import { expect, expectTypeOf, test } from 'vitest';
import {
  AgentEngine,
  createMessagePresenter,
  createSessionStorePresenter,
  createStatePresenter,
  createStateStorePresenter,
  createStatisticsStorePresenter,
  createStreamPresenter,
  createTurnPresenter,
} from '@continuo/engine';
import type {
  EngineEvent,
  MessageEvent,
  Presenter,
  StateEvent,
  StreamEvent,
  TurnEvent,
  UserMessage,
} from '@continuo/engine';
import { answer, call, only, play, scriptedDriver, start, stop, typesOf } from './support/play.ts';
import type { Script } from './support/play.ts';

const hello: UserMessage = { id: 'user-1', role: 'user', content: 'hello' };

test('ENG-1 an engine holds its configuration and nothing else, before and after', async () => {
  const presenter: Presenter = () => {};
  const engine = new AgentEngine<Script>({ driver: scriptedDriver, presenters: [presenter] });
  const before = Object.entries(engine);
  expect(before.map(([name]) => name)).toEqual(['driver', 'presenters', 'processor']);
  await engine.receive('agent', { events: answer('Hello') });
  expect(Object.entries(engine)).toEqual(before);
  expect(Object.isFrozen(engine)).toBe(true);
  expect(Object.isFrozen(engine.presenters)).toBe(true);
});

test('ENG-1 a receive starts with the initial state, whatever came before', async () => {
  const seen: EngineEvent[] = [];
  const engine = new AgentEngine<Script>({
    driver: scriptedDriver,
    presenters: [(_agentId, event) => void seen.push(event)],
  });
  await engine.receive('agent', {
    events: [...answer('left over').slice(0, 3), ...call('a', 'read').slice(0, 1)],
  });
  seen.length = 0;
  await engine.receive('agent', { events: answer('Hello') });
  expect(only(seen, 'assistant_message')).toMatchObject([{ text: 'Hello', parts: [{ kind: 'text' }] }]);
  expect(seen).toEqual(await play(answer('Hello')));
});

test('ENG-1 concurrent calls for one agent never see each other', async () => {
  const messages: MessageEvent[] = [];
  const engine = new AgentEngine<Script>({
    driver: scriptedDriver,
    presenters: [createMessagePresenter((_agentId, event) => void messages.push(event))],
  });
  await Promise.all([
    engine.receive('agent', { events: answer('a', 'b', 'c'), ticks: [0, 3, 1, 4, 1, 5] }),
    engine.receive('agent', { events: answer('x', 'y', 'z'), ticks: [2, 1, 4, 0, 2, 1] }),
  ]);
  expect(
    only(messages, 'assistant_message')
      .map(({ text }) => text)
      .toSorted(),
  ).toEqual(['abc', 'xyz']);
});

test('ENG-2 a driver turns the message it is given into the stream that presenters see', async () => {
  const given: UserMessage[] = [];
  const seen: EngineEvent[] = [];
  const stream = [
    ...answer('Hello').slice(0, -1),
    { type: 'reasoning_block_start', at: 5 },
    { type: 'reasoning_delta', at: 6, text: 'hm' },
    { type: 'reasoning_block_stop', at: 7 },
    ...call('a', 'read', '{}'),
    stop,
  ] satisfies StreamEvent[];
  const engine = new AgentEngine({
    driver: async function* (message) {
      given.push(message);
      yield* stream;
    },
    presenters: [createStreamPresenter((_agentId, event) => void seen.push(event))],
  });
  await engine.receive('agent', hello);
  expect(given).toEqual([hello]);
  expect(seen).toEqual(stream);
});

test('ENG-2 the driver is closed at the end of its stream, and a failure to close changes nothing', async () => {
  let closed = 0;
  const engine = new AgentEngine({
    driver: async function* () {
      try {
        yield* answer('Hello');
        yield start;
      } finally {
        closed += 1;
        // oxlint-disable-next-line no-unsafe-finally -- the point of the test
        throw new Error('could not close');
      }
    },
    presenters: [],
  });
  await engine.receive('agent', hello);
  expect(closed).toBe(1);
});

test('ENG-8 presenters are awaited in order, one event at a time', async () => {
  const log: string[] = [];
  const slow =
    (name: string): Presenter =>
    async (agentId, event) => {
      log.push(`${name} ${agentId} ${event.type} begins`);
      await new Promise((resolve) => setTimeout(resolve, 1));
      log.push(`${name} ${agentId} ${event.type} ends`);
    };
  const quick: Presenter = (agentId, event) => void log.push(`quick ${agentId} ${event.type}`);
  const engine = new AgentEngine<Script>({
    driver: scriptedDriver,
    presenters: [slow('first'), quick, slow('last')],
  });
  await engine.receive('7', { events: [start, stop] });
  const events = typesOf(await play([start, stop]));
  expect(log).toEqual(
    events.flatMap((type) => [
      `first 7 ${type} begins`,
      `first 7 ${type} ends`,
      `quick 7 ${type}`,
      `last 7 ${type} begins`,
      `last 7 ${type} ends`,
    ]),
  );
});

test('ENG-8 each helper passes the events of its layer, all of them and no other', async () => {
  const seen = {
    raw: [] as string[],
    stream: [] as string[],
    message: [] as string[],
    state: [] as string[],
    turn: [] as string[],
  };
  const engine = new AgentEngine<Script>({
    driver: scriptedDriver,
    presenters: [
      (_agentId, event) => void seen.raw.push(event.type),
      createStreamPresenter((_agentId, event) => void seen.stream.push(event.type)),
      createMessagePresenter((_agentId, event) => void seen.message.push(event.type)),
      createStatePresenter((_agentId, event) => void seen.state.push(event.type)),
      createTurnPresenter((_agentId, event) => void seen.turn.push(event.type)),
    ],
  });
  const events: StreamEvent[] = [
    start,
    { type: 'reasoning_delta', at: 1, text: 'hm' },
    { type: 'text_delta', at: 2, text: 'x' },
    ...call('a', 'read'),
    { type: 'tool_result', at: 4, callId: 'a', tool: 'read', output: 1 },
    stop,
  ];
  await engine.receive('agent', { events });
  expect(seen.stream).toEqual(events.map(({ type }) => type));
  expect(seen.message).toEqual(['tool_use_message', 'tool_result_message', 'assistant_message']);
  expect(seen.state).toEqual([
    'conversation_start',
    'conversation_thinking',
    'conversation_responding',
    'tool_planned',
    'tool_executing',
    'conversation_end',
  ]);
  expect(seen.turn).toEqual(['turn_response']);
  const layered = [...seen.stream, ...seen.message, ...seen.state, ...seen.turn];
  expect(seen.raw.toSorted()).toEqual(layered.toSorted());
});

test('ENG-8 each helper gives its handler exactly the types of its layer', () => {
  createStreamPresenter((_agentId, event) => void expectTypeOf(event).toEqualTypeOf<StreamEvent>());
  createMessagePresenter((_agentId, event) => void expectTypeOf(event).toEqualTypeOf<MessageEvent>());
  createStatePresenter((_agentId, event) => void expectTypeOf(event).toEqualTypeOf<StateEvent>());
  createTurnPresenter((_agentId, event) => void expectTypeOf(event).toEqualTypeOf<TurnEvent>());
  expectTypeOf<Parameters<Presenter>>().toEqualTypeOf<[agentId: string, event: EngineEvent]>();
});

test.each<[string, Presenter]>([
  [
    'throws',
    (_agentId, event) => {
      if (event.type === 'text_delta') throw new Error('disk full');
    },
  ],
  [
    'rejects',
    async (_agentId, event) => {
      if (event.type === 'text_delta') throw new Error('disk full');
    },
  ],
])('ENG-8 a presenter that %s makes receive reject, with the driver closed', async (_what, presenter) => {
  const log: string[] = [];
  const engine = new AgentEngine({
    driver: async function* () {
      try {
        yield* answer('one', 'two');
      } finally {
        log.push('driver closed');
      }
    },
    presenters: [presenter, (_agentId, event) => void log.push(event.type)],
  });
  await expect(engine.receive('agent', hello)).rejects.toThrow('disk full');
  expect(log).toEqual([
    'message_start',
    'conversation_start',
    'text_block_start',
    'conversation_responding',
    'driver closed',
  ]);
});

test('ENG-9 each input is presented, then its outputs with their own outputs, until there are none', async () => {
  expect(typesOf(await play(answer('Hel', 'lo')))).toEqual([
    'message_start',
    'conversation_start',
    'text_block_start',
    'conversation_responding',
    'text_delta',
    'text_delta',
    'text_block_stop',
    'message_stop',
    'assistant_message',
    'conversation_end',
    'turn_response',
  ]);
});

test('ENG-9 an input is presented before the next one is asked for', async () => {
  const log: string[] = [];
  const engine = new AgentEngine({
    driver: async function* () {
      for (const event of [start, stop]) {
        log.push(`yields ${event.type}`);
        yield event;
      }
    },
    presenters: [async (_agentId, event) => void log.push(event.type)],
  });
  await engine.receive('agent', hello);
  expect(log.slice(0, 4)).toEqual([
    'yields message_start',
    'message_start',
    'conversation_start',
    'yields message_stop',
  ]);
});

function memoryStores() {
  const messages = new Map<string, MessageEvent[]>();
  const states = new Map<string, StateEvent>();
  const turns = new Map<string, TurnEvent[]>();
  const push = <Event>(rows: Map<string, Event[]>, agentId: string, event: Event) =>
    void rows.set(agentId, [...(rows.get(agentId) ?? []), event]);
  const presenters = [
    createSessionStorePresenter({ append: (agentId, message) => push(messages, agentId, message) }),
    createStateStorePresenter({ put: async (agentId, state) => void states.set(agentId, state) }),
    createStatisticsStorePresenter({ record: (agentId, turn) => push(turns, agentId, turn) }),
  ];
  return { messages, states, turns, presenters };
}

test('ENG-10 presenters fill the three stores', async () => {
  const { messages, states, turns, presenters } = memoryStores();
  const engine = new AgentEngine<Script>({
    driver: scriptedDriver,
    presenters,
    prices: { small: { input: 1, output: 2 } },
  });
  await engine.receive('one', { events: answer('Hello') });
  await engine.receive('two', { events: [start, { type: 'stream_interrupted', at: 3, reason: 'user' }] });
  expect(messages.get('one')).toMatchObject([{ type: 'assistant_message', text: 'Hello' }]);
  expect(messages.has('two')).toBe(false);
  expect(states.get('one')).toMatchObject({ type: 'conversation_end' });
  expect(states.get('two')).toMatchObject({ type: 'conversation_interrupted' });
  expect(turns.get('one')).toMatchObject([{ cost: 0.00002, usage: { input: 10, output: 5 } }]);
  expect(turns.get('two')).toMatchObject([{ ended: 'interrupted' }]);
});

test('ENG-10 the engine itself stores nothing: without its presenters the stores stay empty', async () => {
  const { messages, states, turns } = memoryStores();
  const engine = new AgentEngine<Script>({ driver: scriptedDriver, presenters: [] });
  await engine.receive('one', { events: answer('Hello') });
  expect([messages.size, states.size, turns.size]).toEqual([0, 0, 0]);
});

test('ENG-11 different messages of one agent may be handled by different instances', async () => {
  const scripts: Script[] = [
    { events: answer('one') },
    { events: [start, ...call('a', 'read', '{}'), stop] },
    { events: answer('three'), thrown: new Error('unreached') },
    { events: answer('four').slice(0, 3) },
  ];
  const alone = memoryStores();
  const single = new AgentEngine<Script>({ driver: scriptedDriver, presenters: alone.presenters });
  for (const script of scripts) await single.receive('agent', script);

  const shared = memoryStores();
  const instances = [0, 1].map(
    () => new AgentEngine<Script>({ driver: scriptedDriver, presenters: shared.presenters }),
  );
  for (const [index, script] of scripts.entries()) await instances[index % 2]!.receive('agent', script);

  expect(shared.messages).toEqual(alone.messages);
  expect(shared.states).toEqual(alone.states);
  expect(shared.turns).toEqual(alone.turns);
  expect(shared.turns.get('agent')).toHaveLength(scripts.length);
});

test('ENG-11 one receive completes on one instance, whatever happens to another', async () => {
  const seen: EngineEvent[] = [];
  const broken = new AgentEngine<Script>({
    driver: scriptedDriver,
    presenters: [
      () => {
        throw new Error('this instance died');
      },
    ],
  });
  const healthy = new AgentEngine<Script>({
    driver: scriptedDriver,
    presenters: [(_agentId, event) => void seen.push(event)],
  });
  const [died, lived] = await Promise.allSettled([
    broken.receive('agent', { events: answer('Hello') }),
    healthy.receive('agent', { events: answer('Hello'), ticks: [1, 2, 3] }),
  ]);
  expect([died.status, lived.status]).toEqual(['rejected', 'fulfilled']);
  expect(seen).toEqual(await play(answer('Hello')));
});
