// Characters that cannot be seen, or that turn around how others are read: whoever decides about a text must see them.

/** Control and format characters but for tabs and newlines, line separators, and letters that are blank. */
const HIDDEN = /[\p{Cf}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]|[^\P{Cc}\t\n]/u;
/** What joins two pictures into one is part of it. */
const JOINED = /(?<=\p{Extended_Pictographic}\uFE0F?)\u200D(?=\p{Extended_Pictographic})/u;
const EACH = new RegExp(`(?!${JOINED.source})(?:${HIDDEN.source})`, 'gu');

export interface Piece {
  readonly text: string;
  /** It is the name of a character that would not be seen. */
  readonly hidden: boolean;
}

export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(EACH)) {
    if (index > from) pieces.push({ text: text.slice(from, index), hidden: false });
    pieces.push({ text: nameOf(character), hidden: true });
    from = index + character.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), hidden: false });
  return pieces;
}

/** JSON that means the same and hides nothing. */
export function plainJson(json: string): string {
  return json.replace(EACH, (character) =>
    // A tab is escaped in it already, and so is whatever else is below a space.
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

function nameOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}
