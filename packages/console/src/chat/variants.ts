// The variants of a message: a person edited it, or had it answered again, so the chat was rewound and went on differently.
// One variant is shown, the latest unless another one was chosen; the others are folded.

import type { ChatView, Turn } from '@continuo/protocol';

/** A place at which the chat was rewound. */
interface Fork {
  /** The run that rewound the chat last. It names the fork: after another rewind the latest variant is shown again. */
  latest: string;
  /** The turns of each earlier variant. The latest variant is the rest of the list in which the fork is. */
  readonly earlier: (readonly Turn[])[];
}

export interface Variants {
  /** The turns that models still see, and those that no variant replaces. */
  readonly live: readonly Turn[];
  /** By the first turn of each variant. */
  readonly forks: ReadonlyMap<Turn, Fork>;
}

/** Which variant is shown, by the names of forks. A missing one shows the latest. */
export type Choices = Readonly<Record<string, number>>;

/** The place of a shown turn among its variants. */
export interface Place {
  readonly fork: string;
  readonly index: number;
  readonly count: number;
}

export interface Shown {
  readonly turns: readonly Turn[];
  readonly places: ReadonlyMap<Turn, Place>;
  /** The fork whose earlier variant ends the list, if it is one. */
  readonly earlier: string | null;
}

export function variantsOf({ turns, fold }: ChatView): Variants {
  const live: Turn[] = [];
  const forks = new Map<Turn, Fork>();
  for (const turn of turns) {
    for (const { run, to } of fold.rewinds) if (run === turn.run) fork(turn, to);
    live.push(turn);
  }
  return { live, forks };

  function fork(turn: Turn, to: number): void {
    const from = live.findIndex(({ firstSeq }) => firstSeq > to);
    const replaced = from === -1 ? [] : live.splice(from);
    const first = replaced[0];
    if (!first) return;
    const known = forks.get(first) ?? { latest: turn.run, earlier: [] };
    known.latest = turn.run;
    known.earlier.push(replaced);
    forks.set(first, known).set(turn, known);
  }
}

/** `held`: a turn that a person is editing, which stays. */
export function shownOf({ live, forks }: Variants, choices: Choices, held: string | null): Shown {
  const turns: Turn[] = [];
  const places = new Map<Turn, Place>();
  let ends: string | null = null;
  show(live);
  return { turns, places, earlier: ends };

  /** `within`: the fork that begins the list. */
  function show(list: readonly Turn[], within: Fork | null = null): void {
    for (const turn of list) {
      const at = forks.get(turn);
      if (at === undefined || at === within) {
        turns.push(turn);
        continue;
      }
      const index = indexIn(at);
      const earlier = at.earlier[index];
      const place = { fork: at.latest, index, count: at.earlier.length + 1 };
      places.set(earlier ? speakerOf(earlier) : turn, place);
      if (earlier) {
        ends = at.latest;
        return show(earlier, at);
      }
      turns.push(turn);
    }
  }

  function indexIn({ latest, earlier }: Fork): number {
    const chosen = choices[latest];
    if (chosen !== undefined && chosen >= 0 && chosen <= earlier.length) return chosen;
    const holds = earlier.findIndex((variant) => variant.some(({ run }) => run === held));
    return holds === -1 ? earlier.length : holds;
  }
}

/** The turn whose message can be switched: a message that was canceled in the queue cannot. */
function speakerOf(variant: readonly Turn[]): Turn {
  return variant.find(({ items }) => items.some(({ kind }) => kind === 'person')) ?? variant[0]!;
}

/** The choices with which a turn is shown. */
export function choicesFor(target: Turn, { live, forks }: Variants): Choices {
  const choices: Record<string, number> = {};
  const all = new Set(forks.values());
  for (let turn: Turn | undefined = target; turn && !live.includes(turn);) {
    const inside: Turn = turn;
    const fork = [...all].find(({ earlier }) => earlier.some((variant) => variant.includes(inside)));
    if (!fork) break;
    choices[fork.latest] = fork.earlier.findIndex((variant) => variant.includes(inside));
    // The fork itself may be inside of a variant.
    turn = [...forks.keys()].find(({ run }) => run === fork.latest);
  }
  return choices;
}
