// A block that is nothing but a fence of code, read without the parser: it may be long, and grows with every word.

export interface Fence {
  readonly language: string | undefined;
  readonly code: string;
}

const OPEN = /^(`{3,}|~{3,})([\w+#.-]*)[ \t]*(?:\n|$)/;

/** Null: the parser knows what it is. */
export function fenceOf(block: string): Fence | null {
  const [first, mark, language] = OPEN.exec(block) ?? [];
  // What the parser would replace.
  if (first === undefined || mark === undefined || /[\0\r]/.test(block)) return null;
  const rest = block.slice(first.length);
  const closing = new RegExp(`^ {0,3}${mark[0]}{${mark.length},}[ \\t]*$`, 'm').exec(rest);
  if (closing && rest.slice(closing.index + closing[0].length).trim() !== '') return null;
  const code = (closing ? rest.slice(0, closing.index) : rest).replace(/\n$/, '');
  return { language: language || undefined, code: code && `${code}\n` };
}

/** Lines that are drawn apart from those before them. */
const LINES = 100;
const PIECE = new RegExp(`(?:[^\\n]*\\n){${LINES - 1},}?[^\\n]+\\n`, 'y');

/** Pieces of whole lines, of which only the last changes while the code grows; the newline between two of them is left out. */
export function piecesOf(code: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (;;) {
    PIECE.lastIndex = from;
    const piece = PIECE.exec(code)?.[0];
    if (piece === undefined || from + piece.length === code.length) return [...pieces, code.slice(from)];
    pieces.push(piece.slice(0, -1));
    from += piece.length;
  }
}
