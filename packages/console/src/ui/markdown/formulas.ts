// Finds formulas in Markdown and makes code spans of them, because Markdown leaves the content of a code span alone. The
// first character of such a span, from Unicode's private area, says that it is a formula.

export interface Formula {
  readonly tex: string;
  /** On lines of its own. */
  readonly display: boolean;
}

const INLINE = '\u{E200}';
const DISPLAY = '\u{E201}';

/** Code, which has no formulas; then `$$…$$`, `\[…\]`, `\(…\)` and `$…$`. A price is no formula: `$5 and $6`. */
const PLACES = new RegExp(
  [
    String.raw`^[ \t>]*(?:[-*+]\s+|\d{1,9}[.)]\s+)*(\x60{3,}|~{3,})[^\n]*\n(?:[^]*?\n[ \t>]*\1[\x60~]*[ \t]*$|[^]*)`,
    String.raw`(?<!\x60)(\x60+)(?!\x60)(?:(?!\n[ \t]*\n)[^])*?(?<!\x60)\2(?!\x60)`,
    String.raw`(?<!\\)\$\$(?<dollars>(?:(?!\$\$)[^])+?)\$\$`,
    String.raw`(?<!\\)\\\[(?<brackets>[^]+?)\\\]`,
    String.raw`(?<!\\)\\\((?<parens>[^]+?)\\\)`,
    String.raw`(?<![\\$\w])\$(?<dollar>(?![\s$])[^$\n\x60]*?[^\s$\\\x60])\$(?![\d$\w])`,
  ].join('|'),
  'gm',
);

const MAX_CHARACTERS = 5000;

export function withFormulas(markdown: string): string {
  if (!/\$|\\[([]/.test(markdown)) return markdown;
  return markdown.replace(PLACES, (whole, ...rest) => {
    const { dollars, brackets, parens, dollar } = rest.at(-1) as Record<string, string | undefined>;
    const display = dollars ?? brackets;
    const tex = display ?? parens ?? dollar;
    if (tex === undefined || tex.trim() === '' || tex.length > MAX_CHARACTERS) return whole;
    return codeSpan((display === undefined ? INLINE : DISPLAY) + oneLine(tex));
  });
}

/** Null if the content of a code span is code. */
export function formulaOf(code: string): Formula | null {
  if (code[0] !== INLINE && code[0] !== DISPLAY) return null;
  return { tex: code.slice(1).trim(), display: code[0] === DISPLAY };
}

/** Without comments, which would end with the line. */
function oneLine(tex: string): string {
  return tex.replaceAll(/(?<!\\)%[^\n]*/g, '').replaceAll(/\s*\n[\s>]*/g, ' ');
}

function codeSpan(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const marks = '`'.repeat(longest + 1);
  return `${marks} ${text} ${marks}`;
}
