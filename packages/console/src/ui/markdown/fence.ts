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
const STRETCH = new RegExp(`(?:[^\\n]*\\n){${LINES - 1},}?[^\\n]+\\n`, 'y');

/** Stretches of whole lines, of which only the last changes while the code grows; the newline between two of them is left out. */
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
