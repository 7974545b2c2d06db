// Short texts for requests that ask for a text without providing it ("write a haiku to …"). They are a fixed stock, and the
// answer says so.

/** For each line, what it can be. */
const STOCK: Readonly<Record<string, string>> = {
  haiku: `An old, quiet pond/A light rain at dawn/First snow on the roof/Late sun on the wall
a frog leaps into the dark/each leaf holds a little sky/the road keeps nobody’s steps/a clock goes on by itself
the sound of water/then it is silent/and nothing is lost/the log has it all`,
  list: '- one\n- two\n- three',
  day: `Wind from the north/Wind from the west/No wind at all/A storm until noon/Fog all day
the sea calm/waves over the rocks/the tide high/the water grey and slow
Two ships passed, and both are in the book./The lamp went out and was lit again.`,
};
const choicesOf = (kind: string) => (STOCK[kind] ?? '').split('\n').map((line) => line.split('/'));

const ASKED =
  /^(?:(?:a|an|the|another|some) )?((?:(?:short|little|new|nice|small) )*(haiku|list)(?: (?:about|on|of|for) .*)?)$/i;

/** The stock text that the words ask for; null if the words are the text itself. */
export function stockText(words: string): string | null {
  const [, phrase = '', kind] = ASKED.exec(words.trim()) ?? [];
  return kind ? `${stockLines(kind.toLowerCase(), phrase.length).join('\n')}\n` : null;
}

/** One choice for each line of the text. */
export function stockLines(kind: string, number: number): readonly string[] {
  return choicesOf(kind).map((choices) => choices[number % choices.length]!);
}

/** A few lines, and what they are. */
export function stockBody(number: number): string {
  const lines = stockLines('haiku', number).join('  \n');
  return `${lines}\n\nThe offline stand-in wrote this from a fixed stock of lines: no language model is connected.\n`;
}

export function stockPage(subject: string, number = 0): string {
  return `# ${capitalised(subject)}\n\n${stockBody(number)}`;
}

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Another line for the same position; null if the line is not from the stock. */
export function otherLine(line: string): string | null {
  const choices = choicesOf('haiku').find((each) => each.includes(line.trim()));
  return choices ? choices[(choices.indexOf(line.trim()) + 1) % choices.length]! : null;
}
