// Which turns are shown when messages were edited or answered again.

import { foldView, prependEvents, type ChatView, type NewEvent, type ViewEvent } from '@continuo/protocol';
import { expect, test } from 'vitest';
import { choicesFor, shownOf, variantsOf, type Choices } from '../src/chat/variants.ts';

/** Each turn is a message and its answer; `back` rewinds to before the turn of that name. */
function log(...turns: readonly { readonly name: string; readonly back?: string }[]): ViewEvent[] {
  let seq = 0;
  const begins = new Map<string, number>();
  return turns.flatMap(({ name, back }) => {
    begins.set(name, seq);
    const events: NewEvent[] = [
      { type: 'state', data: { status: 'running', attempt: 1 } },
      ...(back === undefined
        ? []
        : [{ type: 'rewound', data: { to_seq: begins.get(back)! } } satisfies NewEvent]),
      { type: 'message', data: { id: name, role: 'user', content: name } },
      { type: 'state', data: { status: 'done' } },
    ];
    return events.map((event, index) => {
      seq += 1;
      return { ...event, seq, run_id: name, run_seq: index + 1, at: null };
    });
  });
}

const EDITED_TWICE = log(
  { name: 'a' },
  { name: 'b' },
  { name: 'c', back: 'a' },
  { name: 'd' },
  { name: 'e', back: 'c' },
);
/** `b` was edited, then all from `a` on. */
const NESTED = log(
  { name: 'a' },
  { name: 'b' },
  { name: 'b2', back: 'b' },
  { name: 'a2', back: 'a' },
  { name: 'z' },
);

const see = (view: ChatView, choices: Choices = {}, held: string | null = null) => {
  const { turns, places, earlier } = shownOf(variantsOf(view), choices, held);
  return turns
    .map((turn) => {
      const place = places.get(turn);
      return turn.run + (place ? ` ${place.index + 1}/${place.count}` : '');
    })
    .concat(earlier === null ? [] : [`earlier than ${earlier}`]);
};

test('PLUS-5 only the latest variant of a message is shown, with its place; another one can be chosen', () => {
  const view = foldView(EDITED_TWICE);
  expect(see(view)).toEqual(['e 3/3']);
  expect(see(view, { e: 0 })).toEqual(['a 1/3', 'b', 'earlier than e']);
  expect(see(view, { e: 1 })).toEqual(['c 2/3', 'd', 'earlier than e']);
  expect(see(view, { e: 7 })).toEqual(['e 3/3']);
});

test('PLUS-5 variants within a variant stay reachable, also by a link to their moment', () => {
  const view = foldView(NESTED);
  expect(see(view)).toEqual(['a2 2/2', 'z']);
  expect(see(view, { a2: 0 })).toEqual(['a 1/2', 'b2 2/2', 'earlier than a2']);
  const hidden = view.turns.find(({ run }) => run === 'b')!;
  const choices = choicesFor(hidden, variantsOf(view));
  expect(see(view, choices)).toEqual(['a 1/2', 'b 1/2', 'earlier than b2']);
});

test('PLUS-5 a turn that a person is editing is not folded away', () => {
  expect(see(foldView(EDITED_TWICE), {}, 'd')).toEqual(['c 2/3', 'd', 'earlier than e']);
});

test('PLUS-5 the variants are the same on whichever page of the log they are', () => {
  for (const events of [EDITED_TWICE, NESTED])
    for (let cut = 1; cut < events.length; cut += 1) {
      const view = foldView(events.slice(cut));
      prependEvents(view, events.slice(0, cut));
      expect(see(view)).toEqual(see(foldView(events)));
    }
});

test('PLUS-5 a turn that was rewound without a message after it stays', () => {
  const events = log({ name: 'a' }, { name: 'b' });
  const last: ViewEvent = {
    type: 'rewound',
    data: { to_seq: 3 },
    seq: 7,
    run_id: null,
    run_seq: null,
    at: null,
  };
  expect(see(foldView([...events, last]))).toEqual(['a', 'b']);
});
