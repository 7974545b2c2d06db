// Short texts for requests that ask for a text without providing it ("write a haiku to …"). They are a fixed stock, and the
// answer says so.

/** For each line, what it can be. */
const STOCK: Readonly<Record<string, string>> = {
  haiku: `An old, quiet pond/A light rain at dawn/First snow on the roof/Late sun on the wall
a frog leaps into the dark/each leaf holds a little sky/the road keeps nobody’s steps/a clock goes on by itself
the sound of water/then it is silent/and nothing is lost/the log has it all`,
  list: '- one\n- two\n- three',
};
const choicesOf = (kind: string) => (STOCK[kind] ?? '').split('\n').map((line) => line.split('/'));
const pick = (kind: string, number: number) =>
  choicesOf(kind).map((choices) => choices[number % choices.length]!);

const ASKED =
  /^(?:(?:a|an|the|another|some) )?((?:(?:short|little|new|nice|small) )*([a-z]+)(?: (?:about|on|of|for) .*)?)$/i;

/** The stock text that the words ask for; null if the words are the text itself. */
export function stockText(words: string): string | null {
  const [, phrase = '', kind = ''] = ASKED.exec(words.trim()) ?? [];
  return Object.hasOwn(STOCK, kind.toLowerCase())
    ? `${pick(kind.toLowerCase(), phrase.length).join('\n')}\n`
    : null;
}

/** A page about a subject: a heading, a few lines, and what they are. */
export function stockPage(subject: string, number = 0): string {
  const heading = subject.charAt(0).toUpperCase() + subject.slice(1);
  return `# ${heading}\n\n${pick('haiku', number).join('  \n')}\n\nThe offline stand-in wrote this from a fixed stock of lines: no language model is connected.\n`;
}

/** Another line for the same position; null if the line is not from the stock. */
export function otherLine(line: string): string | null {
  const choices = Object.keys(STOCK)
    .flatMap(choicesOf)
    .find((each) => each.length > 1 && each.includes(line.trim()));
  return choices ? choices[(choices.indexOf(line.trim()) + 1) % choices.length]! : null;
}
