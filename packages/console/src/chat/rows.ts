// The rows of a transcript, made from the turns of a chat.

import { neverBegan, type ChatView, type Item, type Turn } from '@continuo/protocol';

export type Row =
  | { readonly kind: 'item'; readonly key: string; readonly turn: Turn; readonly item: Item }
  /** A message whose run was canceled before it started. */
  | { readonly kind: 'canceled-message'; readonly key: string; readonly turn: Turn }
  /** The outcome and usage of a turn. */
  | { readonly kind: 'end'; readonly key: string; readonly turn: Turn };

const made = new WeakMap<Turn, { readonly version: number; readonly rows: readonly Row[] }>();

export function rowsOf(view: ChatView): Row[] {
  return view.turns.flatMap(rowsOfTurn);
}

/** Cached until the turn changes. */
function rowsOfTurn(turn: Turn): readonly Row[] {
  const known = made.get(turn);
  if (known?.version === turn.version) return known.rows;
  const rows: Row[] = turn.items.map((item) => ({
    kind: 'item',
    key: keyOf(turn, item),
    turn,
    item,
  }));
  // A message that steered another run is shown in that run.
  if (turn.canceled !== 'steered')
    rows.push({ kind: neverBegan(turn) ? 'canceled-message' : 'end', key: `${turn.run}:end`, turn });
  made.set(turn, { version: turn.version, rows });
  return rows;
}

/** An answer that began on an older page keeps its key when that page is loaded. */
function keyOf({ run }: Turn, item: Item): string {
  return item.kind === 'answer'
    ? `${run}:${item.message}`
    : `${run}:${item.seq}:${item.kind === 'call' ? item.call : ''}`;
}
