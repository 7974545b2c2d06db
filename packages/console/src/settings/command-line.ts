// Splits a command line as a shell does: blanks separate words, unless quotes or a backslash protect them. Variables at its beginning
// (`NAME=value`) are those of the program. Nothing is expanded.

export interface CommandLine {
  readonly env: Readonly<Record<string, string>>;
  readonly command: string;
  readonly args: readonly string[];
}

/** Null if a quote is not closed, or if there is no command. */
export function splitCommand(line: string): CommandLine | null {
  const words = wordsOf(line);
  if (!words) return null;
  const first = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  if (first < 0) return null;
  const env = words.slice(0, first).map((word) => {
    const at = word.indexOf('=');
    return [word.slice(0, at), word.slice(at + 1)] as const;
  });
  return { env: Object.fromEntries(env), command: words[first]!, args: words.slice(first + 1) };
}

const PART = /\s+|'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])|([^\s'"\\]+)/gy;

function wordsOf(line: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  // A line that ends with a backslash continues in the next one.
  const text = line.replaceAll(/\\\r?\n/g, ' ').trim();
  let end = 0;
  for (const [part, single, double, escaped, plain] of text.matchAll(PART)) {
    end += part.length;
    const said = single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? escaped ?? plain;
    if (said === undefined) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + said;
  }
  if (word !== null) words.push(word);
  return end === text.length ? words : null;
}
