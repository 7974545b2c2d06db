// Characters that cannot be seen, or that turn around how others are read: whoever decides about a text must see them.

/**
 * What is drawn as nothing or as a blank, but for spaces, tabs and newlines; what turns the reading around is among it. A
 * picture that is made of several characters is one.
 */
const EACH =
  /\p{RGI_Emoji}|(?<hidden>[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|[^\P{Zs} ]|[^\P{Cc}\t\n])/gv;

export interface Piece {
  readonly text: string;
  /** It is the name of a character that would not be seen. */
  readonly hidden: boolean;
}

export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { groups, index } of text.matchAll(EACH)) {
    const character = groups?.hidden;
    if (character === undefined) continue;
    if (index > from) pieces.push({ text: text.slice(from, index), hidden: false });
    pieces.push({ text: nameOf(character), hidden: true });
    from = index + character.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), hidden: false });
  return pieces;
}

/** JSON that means the same and hides nothing. */
export function plainJson(json: string): string {
  return json.replace(EACH, (character, hidden?: string) =>
    // A tab is escaped in it already, and so is whatever else is below a space.
    hidden === undefined
      ? character
      : [...Array(character.length).keys()]
          .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
          .join(''),
  );
}

function nameOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}
