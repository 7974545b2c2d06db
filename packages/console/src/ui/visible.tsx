// A text in which nothing is hidden.

import { piecesOf } from './hidden.ts';

export function Visible({ text }: { readonly text: string }) {
  return piecesOf(text).map((piece, index) =>
    piece.hidden ? (
      <span
        key={index}
        title="A character that cannot be seen"
        className="mx-px rounded-sm border border-warn bg-warn-wash px-0.5 font-mono text-[0.85em] text-warn"
      >
        {piece.text}
      </span>
    ) : (
      piece.text
    ),
  );
}
