// What is summarized, what stays, and what is masked: the pure part of a chat's memory.

import { expect, test } from 'vitest';
import type { LogEvent, NewEvent } from '@continuo/protocol';
import { agentStatePart, checkChange, deltaOfCall } from '../../src/context/agent-state.ts';
import { shownHistory } from '../../src/context/history.ts';
import { memoryWork, summarizerEvents, summarizerRequest } from '../../src/context/summarizer.ts';
import { historyAfterSummary, stretchToSummarize, summaryPart } from '../../src/context/summary.ts';
import { EMPTY, foldAll, type ThreadState } from '../../src/threads/fold.ts';

const RULES = { model: null, turns: 20, characters: 5000, tokens: 16_000, summaryLines: 5 };
const NEVER = { ...RULES, turns: 1e6, characters: 1e9, tokens: 1e9 };

let clock = 0;
function append(state: ThreadState, runId: string | null, ...events: readonly NewEvent[]): ThreadState {
  return foldAll(
    state,
    events.map(
      (event, at) =>
        ({
          ...event,
          threadId: 't',
          seq: state.seq + at + 1,
          runId,
          runSeq: at + 1,
          attempt: 1,
          at: new Date((clock += 1000)),
        }) satisfies LogEvent,
    ),
  );
}

interface Turn {
  readonly person: string;
  readonly agent?: string;
  readonly tool?: { readonly name: string; readonly text: string; readonly before?: readonly NewEvent[] };
}

function turns(list: readonly Turn[], from: ThreadState = EMPTY): ThreadState {
  return list.reduce((state, { person, agent = 'Fine.', tool }) => {
    const run = `r${state.seq}`;
    const end = (message: string, parts: object[]): NewEvent =>
      ({
        type: 'message_end',
        data: { message, text: agent, parts, ended: 'complete', model: 'offline/demo' },
      }) as NewEvent;
    const call: NewEvent[] = tool
      ? [
          end('m1', [
            { kind: 'tool_call', callId: 'c', tool: tool.name, input: { kind: 'json', value: {} } },
          ]),
          { type: 'tool_start', data: { tool: tool.name, call: 'c', input: {} } },
          ...(tool.before ?? []),
          {
            type: 'tool_end',
            data: { tool: tool.name, call: 'c', output: { text: tool.text }, success: true },
          },
        ]
      : [];
    return append(
      state,
      run,
      { type: 'state', data: { status: 'running', attempt: 1 } },
      { type: 'message', data: { id: `u${state.seq}`, role: 'user', content: person } },
      ...call,
      end('m2', [{ kind: 'text', text: agent }]),
      { type: 'state', data: { status: 'done' } },
    );
  }, from);
}

const many = (count: number, words = 20) =>
  Array.from({ length: count }, (_, n) => ({ person: `Message ${n}. ${'and so on '.repeat(words)}` }));

function summarized(state: ThreadState): ThreadState {
  const work = memoryWork(state, RULES);
  if (!work) throw new Error('nothing is due');
  return append(state, null, ...summarizerEvents(state, work, { now: 0, sessionId: 't', answer: null }));
}

test('CTX-6 a summary is due after so many turns, characters or tokens, each by itself', () => {
  expect(stretchToSummarize(turns(many(21)), { ...NEVER, turns: 20 })).not.toBeNull();
  expect(stretchToSummarize(turns(many(20)), { ...NEVER, turns: 20 })).toBeNull();
  expect(stretchToSummarize(turns(many(10, 200)), { ...NEVER, characters: 5000 })).not.toBeNull();
  // These characters are in the messages that stay.
  expect(stretchToSummarize(turns(many(6, 400)), { ...NEVER, characters: 5000 })).toBeNull();
  expect(stretchToSummarize(turns(many(10, 200)), { ...NEVER, tokens: 3000 })).not.toBeNull();
  expect(stretchToSummarize(turns(many(10, 200)), NEVER)).toBeNull();
});

test('CTX-6 a pasted document that the latest messages are about stays; when the topic changes, it goes', () => {
  const pasted = `Our charter. ${'The harbour committee elects its treasurer every spring. '.repeat(100)}`;
  const about = { person: 'Which rule says how the harbour committee elects its treasurer?' };
  const state = summarized(turns([{ person: pasted }, ...many(8, 100), about, about, about, about]));
  const shown = historyAfterSummary(state.history, state.memory);
  expect(shown[0]!.entry).toMatchObject({ role: 'user', content: pasted });
  expect(shown.length).toBeLessThan(state.history.length);
  const other = summarized(turns(many(12, 100), state));
  expect(JSON.stringify(historyAfterSummary(other.history, other.memory))).not.toContain('Our charter');
});

test('CTX-5 a summary keeps people’s words, ids, decisions, and what calls changed; recalled text is no source', () => {
  const id = '01a1e7e3-578c-733e-a71d-a54550926132';
  const patch: NewEvent = {
    type: 'entity_patch',
    data: {
      entity_type: 'task',
      entity_id: id,
      entity_name: 'Rent chairs',
      version: 2,
      patch: [{ op: 'replace', path: '/state', value: 'done' }],
      call: 'c',
    },
  };
  const file: NewEvent = {
    type: 'file_updated',
    data: { path: '/notes/plan.md', v: 3, file: 'f', call: 'c' },
  };
  const state = summarized(
    turns([
      { person: 'We decided on the blue marquee from Hartmann for 1,250 euros.' },
      { person: 'Tick off the chairs.', tool: { name: 'update', text: 'ok', before: [patch, file] } },
      {
        person: 'Send it.',
        tool: { name: 'send', text: 'sent\n\n[A person allowed the call and said: only this once]' },
      },
      { person: 'What did we say?', tool: { name: 'look_back', text: 'RECALLED-SECRET-77 was said' } },
      ...many(14, 100),
    ]),
  );
  const { text } = summaryPart(state.memory)!;
  expect(text).toContain('“We decided on the blue marquee from Hartmann for 1,250 euros.”');
  expect(text).toContain(`changed task “Rent chairs” (${id}) to version 2: state is "done"`);
  expect(text).toContain('wrote /notes/plan.md, version 3');
  expect(text).toContain('only this once');
  expect(text).not.toContain('RECALLED-SECRET-77');
  const work = memoryWork(state, { ...NEVER, model: 'openai/gpt-5' })!;
  const request = JSON.stringify(summarizerRequest(state, work, { sessionId: 't', summaryLines: 5 }));
  expect(request).not.toContain('RECALLED-SECRET-77');
});

test('CTX-4 in a long history, old results become one line with their id and what they changed', () => {
  const list = Array.from({ length: 30 }, (_, n) => ({
    person: `Read ${n}`,
    tool: { name: 'read', text: `first of ${n}\n${'x'.repeat(1500)}` },
  }));
  const { history } = turns(list);
  const options = { runId: 'next', summaryLines: 5, budget: null };
  const whole = shownHistory(history, options);
  const masked = shownHistory(history, { ...options, maskOver: 1000 });
  expect(masked.tokens).toBeLessThan(whole.tokens / 2);
  const [oldest] = masked.messages.filter(({ role }) => role === 'tool');
  expect(oldest).toMatchObject({
    output: expect.stringContaining(
      `begin with "first of 0". look_back reads them by the id ${history[0]!.runId}:c`,
    ),
  });
  expect(masked.messages.slice(-12)).toEqual(whole.messages.slice(-12));
  // The border moves rarely: for a while, the beginning stays the same.
  const next = shownHistory(turns(list.slice(0, 1), turns(list)).history, { ...options, maskOver: 1000 });
  expect(next.messages.slice(0, masked.messages.length)).toEqual(masked.messages);
});

test('STATE-2 a call’s patches tell entities and dependencies, and remove them, without a model', () => {
  const whole = (entity_id: string, entity_name: string, edges: object[] = []): NewEvent => ({
    type: 'entity_patch',
    data: {
      entity_type: 'task',
      entity_id,
      entity_name,
      version: 1,
      call: 'c',
      patch: [{ op: 'add', path: '', value: { edges } }],
    },
  });
  const edge = { id: 'e', from_id: 'a', rel: 'depends_on', to_id: 'b' };
  const delta = deltaOfCall('c', [whole('a', 'A', [edge]), whole('b', 'B')])!;
  expect(delta).toMatchObject({ source: 'result', call: 'c' });
  const removal: NewEvent = {
    type: 'entity_patch',
    data: {
      entity_type: 'task',
      entity_id: 'b',
      version: 2,
      call: 'd',
      patch: [{ op: 'replace', path: '/removed_at', value: '2026-01-01' }],
    },
  };
  const asEvent = (data: object): NewEvent => ({ type: 'agent_state_delta', data }) as NewEvent;
  const state = append(turns(many(1)), 'r0', asEvent(delta));
  // The run's own calls are in its history: the block is the same for the whole run.
  expect(agentStatePart(state.memory)).toBeNull();
  const later = turns(many(1), state);
  expect(agentStatePart(later.memory)!.text).toContain(
    '"dependencies":[{"from":"a","to":"b","rel":"depends_on"}]',
  );
  const gone = turns(many(1), append(later, 'r9', asEvent(deltaOfCall('d', [removal])!)));
  expect(agentStatePart(gone.memory)!.text).toContain(
    '"entities":[{"id":"a","kind":"task","name":"A"}],"dependencies":[]',
  );
  expect(deltaOfCall('c', [])).toBeNull();
});

test('STATE-4 bad updates are refused one by one, whatever they are', () => {
  const empty = {
    sessionId: 't',
    current_understanding: { entities: [], dependencies: [] },
    assumptions: [],
    expectations: [],
    tentative_hypotheses: [],
    items: [],
  };
  const { items, state, refused } = checkChange(
    empty,
    {
      agent_state_item_updates: [
        null,
        7,
        { op: 'add', item: { id: 'i', kind: 'note', title: 'N' } },
        { op: 'remove', id: 'i' },
      ],
      agent_state_updates: [
        { assumptions: [{ id: 'a' }] },
        'x',
        { tentative_hypotheses: { id: 'h', hypothesis: 'maybe' } },
      ],
    },
    { at: '2026-01-01T00:00:00.000Z' },
  );
  expect(items.map(({ op }) => op)).toEqual(['add', 'remove']);
  expect(state).toEqual({ tentative_hypotheses: [{ id: 'h', hypothesis: 'maybe' }] });
  expect(refused).toHaveLength(4);
});
