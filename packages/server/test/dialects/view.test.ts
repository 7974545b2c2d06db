// What screens show, over logs of real runs: the same whether events come at once, in two parts, or the older ones last; and
// what it says is what the rows say.

import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  applyEvent,
  foldView,
  isOpen,
  newView,
  prependEvents,
  threadEventJson,
  type CallItem,
  type ChatView,
  type ThreadEvent,
} from '@continuo/protocol';
import { freshDatabase, type TestDatabase } from '@continuo/testkit/fixtures';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { readThreadEvents } from '../../src/log/statements.ts';
import { makeLogs } from './logs.ts';

let database: TestDatabase;
let pool: Pool;
let logs: ThreadEvent[][];
beforeAll(async () => {
  database = await freshDatabase();
  pool = createPool({ connection: database.url, applicationName: 'view', leaseSeconds: 30 }, () => undefined);
  await makeLogs(database);
  const { rows } = await pool.query<{ id: string }>('select id from threads order by id');
  const read = await Promise.all(rows.map(({ id }) => readThreadEvents(pool, id, 0, 100_000)));
  logs = read
    .filter((log) => log.length > 0)
    .map((log) => log.map((event) => JSON.parse(threadEventJson(event)) as ThreadEvent));
}, 300_000);
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** All that is shown. */
function shown(view: ChatView, versions: boolean): unknown {
  const own = new Set(['fold', 'answers', 'calls', ...(versions ? [] : ['version'])]);
  return JSON.parse(JSON.stringify(view, (key, value: unknown) => (own.has(key) ? undefined : value)));
}

test('folding a log in any two parts gives the same view as folding it at once, and folding a part gives the view of that moment', () => {
  for (const log of logs) {
    const whole = shown(foldView(log), true);
    const growing = newView();
    for (const [index, event] of log.entries()) {
      const rest = foldView(log.slice(index), foldView(log.slice(0, index)));
      expect(shown(rest, true)).toEqual(whole);
      applyEvent(growing, event);
      expect(shown(growing, true)).toEqual(shown(foldView(log.slice(0, index + 1)), true));
    }
  }
});

test('events that come twice change nothing', () => {
  for (const log of logs) {
    const view = foldView(log);
    const before = shown(view, true);
    foldView(log.slice(-20), view);
    expect(shown(view, true)).toEqual(before);
  }
});

test.each([1, 2, 3, 7, 20])(
  'the end first and then the older events, %i at a time, gives the same view',
  (size) => {
    for (const log of logs) {
      const whole = shown(foldView(log), false);
      for (const cut of [log.length - 1, Math.floor(log.length / 2), Math.floor(log.length / 3), 0]) {
        const view = foldView(log.slice(cut));
        for (let end = cut; end > 0; end -= size)
          prependEvents(view, log.slice(Math.max(0, end - size), end));
        expect(shown(view, false)).toEqual(whole);
      }
    }
  },
);

test('a page that does not end where the view begins is refused', () => {
  const log = logs.find(({ length }) => length > 5)!;
  expect(() => prependEvents(foldView(log.slice(4)), log.slice(0, 2))).toThrow(/event 4|before event 5/);
});

test('the version of a part of the view changes exactly when the part does', () => {
  for (const log of logs) {
    const view = newView();
    for (const event of log) {
      const before = new Map(
        view.turns.map((turn) => [turn.run, [turn.version, JSON.stringify(shownTurn(turn))]] as const),
      );
      applyEvent(view, event);
      for (const turn of view.turns) {
        const [version, text] = before.get(turn.run) ?? [-1, ''];
        if (JSON.stringify(shownTurn(turn)) !== text) expect(turn.version).not.toBe(version);
        else if (turn.run !== event.run_id) expect(turn.version).toBe(version);
      }
    }
  }
});

function shownTurn(turn: ChatView['turns'][number]): unknown {
  return {
    ...turn,
    version: 0,
    answers: null,
    calls: null,
    items: turn.items.map((item) => ({ ...item, version: 0 })),
  };
}

test('turns show how their runs ended, and calls what was decided', async () => {
  const runs = new Map(
    (
      await database.pool.query<{ id: string; status: string; cost: number | null }>(
        'select id, status, cost from runs',
      )
    ).rows.map((run) => [run.id, run]),
  );
  const approvals = new Map(
    (
      await database.pool.query<{ id: string; decision: string | null }>('select id, decision from approvals')
    ).rows.map(({ id, decision }) => [id, decision]),
  );
  const states = new Set<string>();
  const seen = new Set<string>();
  for (const turn of logs.flatMap((log) => foldView(log).turns)) {
    const run = runs.get(turn.run)!;
    expect(turn.whole).toBe(true);
    if (isOpen(turn)) expect(run.status).toBe('running');
    else expect(turn.state).toBe(run.status);
    states.add(turn.state);
    if (turn.forgotten) states.add(turn.forgotten);
    for (const item of turn.items) {
      seen.add(item.kind === 'answer' ? item.state : item.kind);
      if (item.kind === 'person' && item.steer) seen.add('steer');
      if (item.kind !== 'call') continue;
      expect(item.state === 'ended').toBe(item.success !== null);
      if (!isOpen(turn)) expect(item.state).toBe('ended');
      for (const { id, decision } of item.approvals) expect(decision).toBe(approvals.get(id));
      if (item.files.length > 0) seen.add('file');
    }
  }
  expect([...states].toSorted()).toEqual(['canceled', 'done', 'error', 'rewound', 'waiting']);
  expect([...seen].toSorted()).toEqual(
    ['call', 'complete', 'error', 'file', 'interrupted', 'person', 'steer', 'superseded'].toSorted(),
  );
});

test('a finished message has the same text as its pieces', () => {
  for (const log of logs) {
    const turns = new Map(foldView(log).turns.map((turn) => [turn.run, turn]));
    for (const event of log) {
      if (event.type !== 'message_end') continue;
      const items = turns.get(event.run_id!)!.items;
      const answer = items.find((item) => item.kind === 'answer' && item.message === event.data.message);
      if (answer?.kind !== 'answer') throw new Error(`no answer for ${event.data.message}`);
      const text = answer.parts.filter(({ kind }) => kind === 'text').map(({ text: part }) => part);
      expect(text.join('')).toBe(event.data.text);
      const calls = items.filter((item): item is CallItem => item.kind === 'call' && item.seq === event.seq);
      expect(calls.map(({ call }) => call)).toEqual(
        event.data.parts.flatMap((part) => (part.kind === 'tool_call' ? [part.callId] : [])),
      );
    }
  }
});
