// Whether a piece is live, in words.

import { When } from '../ui/format.tsx';
import type { Piece } from './queries.ts';

const STATE: Readonly<Record<Piece['state'], readonly [label: string, className: string]>> = {
  draft: ['Draft', 'bg-hover text-soft'],
  published: ['Live', 'bg-good-wash text-good'],
  changed: ['Live, with newer changes', 'bg-warn-wash text-warn'],
  removed: ['File removed', 'bg-bad-wash text-bad'],
};

export function PieceState({ piece }: { readonly piece: Piece }) {
  const [label, className] = STATE[piece.state];
  return (
    <span className="inline-flex flex-wrap gap-1.5">
      <span className={`rounded-full px-2.5 py-0.5 text-xs font-medium ${className}`}>{label}</span>
      {piece.scheduled && <ScheduledBadge scheduled={piece.scheduled} />}
    </span>
  );
}

function ScheduledBadge({ scheduled }: { readonly scheduled: NonNullable<Piece['scheduled']> }) {
  const failed = scheduled.problem !== null;
  return (
    <span
      className={`rounded-full px-2.5 py-0.5 text-xs font-medium ${failed ? 'bg-bad-wash text-bad' : 'bg-accent-wash text-accent'}`}
    >
      {failed ? 'Could not be published' : 'Goes live'} <When at={scheduled.at} />
    </span>
  );
}
