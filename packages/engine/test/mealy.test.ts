import { expect, test } from 'vitest';
import { chain, combine, filter, map } from '@continuo/engine';
import type { Processor } from '@continuo/engine';

/** Emits the running sum of its inputs. */
const sum: Processor<number, number, number> = (state, input) => [state + input, [state + input]];
/** Emits every second input. */
const second: Processor<boolean, number, number> = (odd, input) => [!odd, odd ? [input] : []];
const repeat: Processor<null, number, number> = (state, input) => [state, Array<number>(input).fill(input)];
const silent: Processor<string, number, never> = (state) => [state, []];

function run<State, Input, Output>(
  processor: Processor<State, Input, Output>,
  state: State,
  inputs: readonly Input[],
): readonly [State, Output[]] {
  const outputs: Output[] = [];
  for (const input of inputs) {
    const [next, produced] = processor(state, input);
    state = next;
    outputs.push(...produced);
  }
  return [state, outputs];
}

test('combine passes every input to every processor; outputs come in the order of the names', () => {
  const both = combine<{ sum: number; second: boolean }, number, string>({
    sum: map(sum, (output) => `sum ${output}`),
    second: map(second, (output) => `second ${output}`),
  });
  expect(run(both, { sum: 0, second: false }, [1, 2, 3])).toEqual([
    { sum: 6, second: true },
    ['sum 1', 'sum 3', 'second 2', 'sum 6'],
  ]);
});

test('combine keeps the state itself when no processor changed its own', () => {
  const idle = combine<{ one: string; two: string }, number, never>({ one: silent, two: silent });
  const state = Object.freeze({ one: 'a', two: 'b' });
  expect(idle(state, 1)[0]).toBe(state);
});

test('combine does not change the given state', () => {
  const both = combine<{ one: number; two: number }, number, number>({ one: sum, two: sum });
  const state = Object.freeze({ one: 1, two: 2 });
  expect(both(state, 10)).toEqual([{ one: 11, two: 12 }, [11, 12]]);
  expect(state).toEqual({ one: 1, two: 2 });
});

test('chain passes each output of the first to the second, in order', () => {
  const chained = chain(repeat, sum);
  expect(run(chained, [null, 0], [2, 0, 3])).toEqual([
    [null, 13],
    [2, 4, 7, 10, 13],
  ]);
});

test('chain keeps the state itself when neither changed', () => {
  const state = Object.freeze([null, 5] as const);
  expect(chain(repeat, sum)(state, 0)[0]).toBe(state);
});

test('filter hides the inputs that do not pass', () => {
  const even = (input: number | string): input is number => typeof input === 'number' && input % 2 === 0;
  const state = Object.freeze({ total: 0 });
  const counting: Processor<{ readonly total: number }, number, number> = (before, input) => [
    { total: before.total + input },
    [input],
  ];
  const filtered = filter(even, counting);
  expect(run(filtered, state, [1, 2, 'x', 4])).toEqual([{ total: 6 }, [2, 4]]);
  expect(filtered(state, 3)).toEqual([state, []]);
  expect(filtered(state, 3)[0]).toBe(state);
});

test('map projects each output and leaves the state alone', () => {
  const mapped = map(repeat, (output) => output * 10);
  expect(run(mapped, null, [2, 1])).toEqual([null, [20, 20, 10]]);
});
