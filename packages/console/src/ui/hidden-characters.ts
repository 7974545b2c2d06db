// Characters that are invisible, or that reverse the reading direction. A person who decides about a text must see
// them.

/**
 * Characters drawn as nothing or as a blank, except space, tab and newline; this includes bidirectional controls. An
 * emoji of several code points counts as one visible character.
 */
const EACH =
  /\p{RGI_Emoji}|(?<hidden>[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|[^\P{Zs} ]|[^\P{Cc}\t\n])/gv;

export interface Piece {
  readonly text: string;
  /** `text` is the name of an invisible character. */
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

/** Equivalent JSON in which every invisible character is escaped. */
export function escapeHidden(json: string): string {
  return json.replace(EACH, (character, hidden?: string) =>
    // JSON has already escaped tabs and the other control characters below a space.
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
