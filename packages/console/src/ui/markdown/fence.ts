// Reads a block that consists of one code fence without the parser, because it may be long and grows with every token.

export interface Fence {
  readonly language: string | undefined;
  readonly code: string;
  /** False while the fence may still grow. */
  readonly closed: boolean;
}

const OPEN = /^(`{3,}|~{3,})([\w+#.-]*)[ \t]*(?:\n|$)/;

/** Null: leave the block to the parser. */
export function fenceOf(block: string): Fence | null {
  const [first, mark, language] = OPEN.exec(block) ?? [];
  // The parser replaces these characters.
  if (first === undefined || mark === undefined || /[\0\r]/.test(block)) return null;
  const rest = block.slice(first.length);
  const closing = new RegExp(`^ {0,3}${mark[0]}{${mark.length},}[ \\t]*$`, 'm').exec(rest);
  if (closing && rest.slice(closing.index + closing[0].length).trim() !== '') return null;
  const code = (closing ? rest.slice(0, closing.index) : rest).replace(/\n$/, '');
  return { language: language || undefined, code: code && `${code}\n`, closed: closing !== null };
}

/** The number of lines that are rendered as one element. */
const LINES = 100;
const STRETCH = new RegExp(`(?:[^\\n]*\\n){${LINES - 1},}?[^\\n]+\\n`, 'y');

/**
 * Splits code into runs of whole lines, so that only the last run changes while the code grows. The newline between two
 * runs is left out.
 */
export function stretchesOf(code: string): string[] {
  const stretches: string[] = [];
  let from = 0;
  for (;;) {
    STRETCH.lastIndex = from;
    const stretch = STRETCH.exec(code)?.[0];
    if (stretch === undefined || from + stretch.length === code.length)
      return [...stretches, code.slice(from)];
    stretches.push(stretch.slice(0, -1));
    from += stretch.length;
  }
}
