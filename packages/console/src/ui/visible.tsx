// Text in which hidden characters are shown by name.

import { piecesOf } from './hidden-characters.ts';

export function Visible({ text }: { readonly text: string }) {
  return piecesOf(text).map((piece, index) =>
    piece.hidden ? (
      <span
        key={index}
        title="Invisible character"
        className="mx-px rounded-sm border border-warn bg-warn-wash px-0.5 font-mono text-[0.85em] text-warn"
      >
        {piece.text}
      </span>
    ) : (
      piece.text
    ),
  );
}
