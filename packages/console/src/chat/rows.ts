// The rows of a transcript, made from the turns of a chat.

import { neverBegan, type AnswerItem, type CallItem, type Item, type Turn } from '@continuo/protocol';

export type Row =
  | { readonly kind: 'item'; readonly key: string; readonly turn: Turn; readonly item: Item }
  /** Several calls in a row. */
  | { readonly kind: 'calls'; readonly key: string; readonly turn: Turn; readonly calls: readonly CallItem[] }
  /** A message whose run was canceled before it started. */
  | { readonly kind: 'canceled-message'; readonly key: string; readonly turn: Turn }
  /** The outcome and usage of a turn. */
  | { readonly kind: 'end'; readonly key: string; readonly turn: Turn };

const made = new WeakMap<Turn, { readonly version: number; readonly rows: readonly Row[] }>();

export function rowsOf(turns: readonly Turn[]): Row[] {
  return turns.flatMap(rowsOfTurn);
}

/** Cached until the turn changes. */
function rowsOfTurn(turn: Turn): readonly Row[] {
  const known = made.get(turn);
  if (known?.version === turn.version) return known.rows;
  const inPlan = new Set(
    turn.items.flatMap((item) => (item.kind === 'plan' ? item.steps.map((step) => step.run) : [])),
  );
  const rows = turn.items
    .filter((item) => item.kind !== 'answer' || saysSomething(item))
    // The plan shows its steps.
    .filter((item) => item.kind !== 'child' || !inPlan.has(item.run))
    .reduce<Item[][]>((groups, item) => {
      const last = groups.at(-1);
      if (last && canGroup(item) && canGroup(last[0]!)) last.push(item);
      else groups.push([item]);
      return groups;
    }, [])
    .flatMap((items) => rowsOfItems(turn, items));
  // A message that steered another run is shown in that run.
  if (turn.canceled !== 'steered')
    rows.push({ kind: neverBegan(turn) ? 'canceled-message' : 'end', key: `${turn.run}:end`, turn });
  made.set(turn, { version: turn.version, rows });
  return rows;
}

/** The row that shows the event `seq`: the last one of its turn that began by then, or the turn's first. */
export function indexAt(rows: readonly Row[], seq: number): number {
  const turn = rows.findLast((row) => row.turn.firstSeq <= seq)?.turn ?? rows[0]?.turn;
  const begun = rows.findLastIndex((row) => row.turn === turn && seqOf(row) <= seq);
  return begun === -1 ? rows.findIndex((row) => row.turn === turn) : begun;
}

/** The event with which a row begins; Infinity for the end of a turn. */
export function seqOf(row: Row): number {
  if (row.kind === 'item') return row.item.seq;
  return row.kind === 'calls' ? row.calls[0]!.seq : Infinity;
}

/** From this many calls in a row on, they are one group. */
const MANY_CALLS = 4;

function rowsOfItems(turn: Turn, items: readonly Item[]): Row[] {
  if (items.length >= MANY_CALLS)
    return [{ kind: 'calls', key: `${keyOf(turn, items[0]!)}:calls`, turn, calls: items as CallItem[] }];
  return items.map((item) => ({ kind: 'item', key: keyOf(turn, item), turn, item }));
}

/** A rewound call is shown as such, by itself. */
function canGroup(item: Item): boolean {
  return item.kind === 'call' && !item.forgotten;
}

/** A message that has only calls is not shown: its calls are. */
function saysSomething({ parts, state, error }: AnswerItem): boolean {
  return state === 'streaming' || error !== null || parts.some(({ text }) => text.trim() !== '');
}

/** An answer that began on an older page keeps its key when that page is loaded. */
function keyOf({ run }: Turn, item: Item): string {
  return item.kind === 'answer'
    ? `${run}:${item.message}`
    : `${run}:${item.seq}:${item.kind === 'call' ? item.call : ''}`;
}
