// Short texts for requests that ask for a text without providing it ("write a haiku to …"). They are a fixed stock, and the
// answer says so.

const HAIKU: readonly (readonly string[])[] = [
  ['An old, quiet pond', 'A light rain at dawn', 'First snow on the roof', 'Late sun on the wall'],
  [
    'a frog leaps into the dark',
    'each leaf holds a little sky',
    'the road keeps nobody’s steps',
    'a clock goes on by itself',
  ],
  ['the sound of water', 'then it is silent', 'and nothing is lost', 'the log has it all'],
];

const STOCK: Readonly<Record<string, readonly (readonly string[])[]>> = {
  haiku: HAIKU,
  poem: [
    ['The lamp is lit, the page is white,', 'The tide comes in, the tide goes out,'],
    ['the words come slowly, one by one,', 'and no one has to ask it why,'],
    ['they stand in order through the night', 'the harbour turns itself about'],
    ['and wait there till the work is done.', 'beneath a slow and even sky.'],
  ],
  story: [
    [
      'Once there was a lighthouse keeper who wrote down every ship.',
      'Once there was a baker who never forgot an order.',
    ],
    [
      'One night the lamp went out, and the book was all that was left.',
      'One morning the shop was dark, and only the list remained.',
    ],
    [
      'Whoever came next read it and went on from the last line.',
      'Whoever came next read it and lit the oven again.',
    ],
  ],
  list: [['- one'], ['- two'], ['- three']],
};

const ASKED =
  /^(?:(?:a|an|the|another|some|short|little|new|nice|small) )*([a-z]+)(?: (?:about|on|of|for) .*)?$/i;

/** The stock text that the words ask for; null if the words are the text itself. */
export function stockText(words: string): { readonly kind: string; readonly text: string } | null {
  const kind = ASKED.exec(words.trim())?.[1]?.toLowerCase() ?? '';
  const lines = Object.hasOwn(STOCK, kind) ? STOCK[kind]! : null;
  if (!lines) return null;
  const which = words.length;
  return { kind, text: `${lines.map((choices) => choices[which % choices.length]!).join('\n')}\n` };
}

/** Another line for the same position; null if the line is not from the stock. */
export function otherLine(line: string): string | null {
  for (const choices of Object.values(STOCK).flat()) {
    const at = choices.indexOf(line.trim());
    if (at >= 0 && choices.length > 1) return choices[(at + 1) % choices.length]!;
  }
  return null;
}
