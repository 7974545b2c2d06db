// How deep JSON may be nested. `JSON.parse` takes any depth, but `JSON.stringify` and everything else that walks a value by
// recursion overflows the stack after some thousand levels: JSON from outside is measured as text first.

/** The deepest nesting of a call's input, a tool's result or a request's body: `[[1]]` is 2 deep. */
export const JSON_DEPTH = 64;

/** Whether a JSON text is nested deeper than `depth`. Linear. For a text that is not JSON the result is unspecified. */
export function isJsonTooDeep(text: string, depth: number = JSON_DEPTH): boolean {
  return text.length > depth && jsonExcess(text, { depth }) === 'depth';
}

export interface JsonLimits {
  readonly depth: number;
  /** The most objects, arrays and fields of objects, counted together: each costs far more to parse than its text. */
  readonly parts?: number;
  /** The most fields of the outermost object. */
  readonly fields?: number;
}

/** The first limit that a JSON text exceeds, found without parsing it; null if it is within all limits. */
export function jsonExcess(
  text: string,
  { depth, parts = Infinity, fields = Infinity }: JsonLimits,
): keyof JsonLimits | null {
  let open = 0;
  let partCount = 0;
  let fieldCount = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === BRACKET || code === BRACE) {
      open += 1;
      partCount += 1;
      if (open > depth) return 'depth';
      if (partCount > parts) return 'parts';
    } else if (code === BRACKET_END || code === BRACE_END) {
      open -= 1;
    } else if (code === COLON) {
      partCount += 1;
      if (open === 1) fieldCount += 1;
      if (fieldCount > fields) return 'fields';
      if (partCount > parts) return 'parts';
    }
  }
  return null;
}

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const BRACKET = 0x5b;
const BRACKET_END = 0x5d;
const BRACE = 0x7b;
const BRACE_END = 0x7d;

/** Where the string that begins at `start` ends: at the first quote that is not escaped. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
}
