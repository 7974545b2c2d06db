// The lines of a transcript: what is shown of a chat, one under the other.

import { neverBegan, type ChatView, type Item, type Turn } from '@continuo/protocol';

export type Row =
  | { readonly kind: 'item'; readonly key: string; readonly turn: Turn; readonly item: Item }
  /** A message that was never taken in. */
  | { readonly kind: 'unbegun'; readonly key: string; readonly turn: Turn }
  /** How the turn ended, and what it used. */
  | { readonly kind: 'end'; readonly key: string; readonly turn: Turn };

const made = new WeakMap<Turn, { readonly version: number; readonly rows: readonly Row[] }>();

export function rowsOf(view: ChatView): Row[] {
  return view.turns.flatMap(rowsOfTurn);
}

/** Made anew only when the turn has changed. */
function rowsOfTurn(turn: Turn): readonly Row[] {
  const known = made.get(turn);
  if (known?.version === turn.version) return known.rows;
  const rows: Row[] = turn.items.map((item) => ({
    kind: 'item',
    key: keyOf(turn, item),
    turn,
    item,
  }));
  // What another run took in is said there.
  if (turn.canceled !== 'steered')
    rows.push({ kind: neverBegan(turn) ? 'unbegun' : 'end', key: `${turn.run}:end`, turn });
  made.set(turn, { version: turn.version, rows });
  return rows;
}

/** An answer that began on an older page stays the same row when that page comes. */
function keyOf({ run }: Turn, item: Item): string {
  return item.kind === 'answer'
    ? `${run}:${item.message}`
    : `${run}:${item.seq}:${item.kind === 'call' ? item.call : ''}`;
}
