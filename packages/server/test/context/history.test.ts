// What a model is shown of a thread.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { HistoryMessage } from '../../src/models/model.ts';
import { shorterHistory } from '../../src/context/fitting.ts';
import { shownHistory, SUMMARIZED, summarizeResult } from '../../src/context/history.ts';

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n');
const says = (runId: string, entry: HistoryMessage) => ({ seq: 1, runId, entry });
const result = (text: string): HistoryMessage => ({
  role: 'tool',
  callId: 'c',
  tool: 'read',
  output: { text },
  failed: false,
});
const options = { runId: 'now', summaryLines: 5, budget: null };

test('RT-5 an earlier run’s result is its first five lines, and says that it was shortened on a line of its own', () => {
  const { messages } = shownHistory([says('before', result(lines(20)))], options);
  expect(messages[0]).toMatchObject({ output: `${lines(5)}\n${SUMMARIZED}` });
});

test('RT-5 a result that is short enough is shown as it is, without a note', () => {
  const { messages } = shownHistory([says('before', result(lines(5)))], options);
  expect(messages[0]).toMatchObject({ output: { text: lines(5) } });
});

test('RT-5 the run that made the call sees its result in full', () => {
  const { messages } = shownHistory([says('now', result(lines(20)))], options);
  expect(messages[0]).toMatchObject({ output: { text: lines(20) } });
});

test('RT-5 one long line is shortened too', () => {
  expect(summarizeResult({ text: 'x'.repeat(10_000) }, 5)).toBe(`${'x'.repeat(2000)}\n${SUMMARIZED}`);
});

test('RT-5 where the log has a tool’s own summary, later runs are shown that, and the run itself the whole', () => {
  const read = { ...says('before', result(lines(3))), summary: 'Wrote /a.md.' };
  expect(shownHistory([read], options).messages[0]).toMatchObject({ output: `Wrote /a.md.\n${SUMMARIZED}` });
  expect(shownHistory([{ ...read, runId: 'now' }], options).messages[0]).toMatchObject({
    output: { text: lines(3) },
  });
  expect(summarizeResult({ text: 'same' }, 5, 'same')).toEqual({ text: 'same' });
});

test('RT-5 of an output with a text, the text is what is summarized', () => {
  expect(summarizeResult({ path: '/a.md', version: 2, text: lines(9) }, 5)).toBe(
    `${lines(5)}\n${SUMMARIZED}`,
  );
});

/** Turns of a person's message, a call with its result, and an answer. */
const thread = fc
  .array(fc.record({ words: fc.nat(400), calls: fc.nat(2) }), { minLength: 1, maxLength: 12 })
  .map((turns) =>
    turns.flatMap(({ words, calls }, index) => {
      const run = `run ${index}`;
      const ids = Array.from({ length: calls }, (_, call) => `${index}.${call}`);
      return [
        says(run, { role: 'user', id: run, content: 'word '.repeat(words) }),
        says(run, {
          role: 'assistant',
          id: run,
          parts: ids.map(
            (callId) =>
              ({ kind: 'tool_call', callId, tool: 't', input: { kind: 'json', value: {} } }) as const,
          ),
        }),
        ...ids.map((callId) =>
          says(run, { role: 'tool', callId, tool: 't', output: { ok: true }, failed: false }),
        ),
      ];
    }),
  );

test('RT-4 when the window is full whole oldest turns are left out, and never half of an exchange', () => {
  fc.assert(
    fc.property(thread, fc.integer({ min: 1, max: 4000 }), (history, budget) => {
      const { messages, tokens, turnsLeftOut } = shownHistory(history, { ...options, budget });
      const all = history.map(({ entry }) => entry);
      expect(messages).toEqual(all.slice(all.length - messages.length));
      expect(messages[0]!.role).toBe('user');
      const turns = (of: readonly HistoryMessage[]) => of.filter(({ role }) => role === 'user').length;
      expect(turns(all) - turns(messages)).toBe(turnsLeftOut);
      // The budget is kept unless only the last turn is left.
      expect(tokens <= budget || turns(messages) === 1).toBe(true);
      // Nothing is left out without need.
      if (turnsLeftOut > 0) {
        const { tokens: withMore } = shownHistory(
          history.slice(history.length - messages.length - turnsBefore(all, messages.length)),
          options,
        );
        expect(withMore).toBeGreaterThan(budget);
      }
    }),
    { numRuns: 2000 },
  );
});

test('RT-4 what is refused as too long is shown shorter each time, down to the last turn, four times at most', () => {
  fc.assert(
    fc.property(thread, (history) => {
      const { budget: _none, ...how } = options;
      const turns = history.filter(({ entry }) => entry.role === 'user').length;
      let shown = { ...shownHistory(history, options), times: 0 };
      for (let shorter = shorterHistory(history, how, shown); shorter;) {
        expect(shorter.turnsLeftOut).toBeGreaterThan(shown.turnsLeftOut);
        expect(shorter.tokens).toBeLessThanOrEqual(shorter.limit);
        expect(shorter.messages[0]!.role).toBe('user');
        shown = shorter;
        shorter = shorterHistory(history, how, shown);
      }
      expect(shown.times).toBeLessThanOrEqual(4);
      expect(shown.turnsLeftOut).toBe(turns - 1);
    }),
  );
});

/** How many messages the turn right before the last `shown` ones has. */
function turnsBefore(all: readonly HistoryMessage[], shown: number): number {
  const left = all.slice(0, all.length - shown);
  return left.length - left.findLastIndex(({ role }) => role === 'user');
}
