// Mealy machines and the four ways to build a larger one from smaller ones.
//
// Invariants:
// 1. A processor is pure: it changes neither its state nor its input, and the same two
//    give the same answer. Time, randomness and I/O come in as inputs or not at all.
// 2. Outputs are the goal, state is only what is needed to produce them.
// 3. A processor that ignores an input returns the same state object; combinators keep its
//    identity, so an idle machine costs no copy.

export type Processor<State, Input, Output> = (
  state: State,
  input: Input,
) => readonly [State, readonly Output[]];

const nothing: readonly never[] = Object.freeze([]);

/** The result of a processor without outputs. */
export function stay<State>(state: State): readonly [State, readonly never[]] {
  return [state, nothing];
}

/** Every processor sees every input; outputs come in the order in which the processors are named. */
export function combine<States extends object, Input, Output>(processors: {
  readonly [Name in keyof States]: Processor<States[Name], Input, Output>;
}): Processor<States, Input, Output> {
  const names = Object.keys(processors) as (keyof States)[];
  return (state, input) => {
    let next = state;
    let outputs: readonly Output[] = nothing;
    for (const name of names) {
      const [part, produced] = processors[name](state[name], input);
      if (part !== state[name]) {
        if (next === state) next = { ...state };
        next[name] = part;
      }
      if (produced.length > 0) outputs = outputs.length === 0 ? produced : [...outputs, ...produced];
    }
    return [next, outputs];
  };
}

/** Each output of the first processor is an input of the second. */
export function chain<First, Second, Input, Middle, Output>(
  first: Processor<First, Input, Middle>,
  second: Processor<Second, Middle, Output>,
): Processor<readonly [First, Second], Input, Output> {
  return (state, input) => {
    const [firstNext, middles] = first(state[0], input);
    let secondNext = state[1];
    const outputs: Output[] = [];
    for (const middle of middles) {
      const [next, produced] = second(secondNext, middle);
      secondNext = next;
      outputs.push(...produced);
    }
    const changed = firstNext !== state[0] || secondNext !== state[1];
    return [changed ? [firstNext, secondNext] : state, outputs];
  };
}

/** The processor sees only the inputs that pass; other inputs change no state and produce no output. */
export function filter<State, Input, Passed extends Input, Output>(
  passes: (input: Input) => input is Passed,
  processor: Processor<State, Passed, Output>,
): Processor<State, Input, Output> {
  return (state, input) => (passes(input) ? processor(state, input) : stay(state));
}

/** The same processor with each of its outputs turned into another. */
export function map<State, Input, Output, Mapped>(
  processor: Processor<State, Input, Output>,
  project: (output: Output) => Mapped,
): Processor<State, Input, Mapped> {
  return (state, input) => {
    const [next, outputs] = processor(state, input);
    return [next, outputs.map((output) => project(output))];
  };
}
