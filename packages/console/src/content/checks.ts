// Advice about a piece: its length, what search engines show of it, and how easily it reads. None of it keeps a piece from being
// published. Pure.

export interface Check {
  readonly name: string;
  readonly isGood: boolean;
  readonly text: string;
}

interface Text {
  readonly title: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly markdown: string;
  readonly words: number;
}

/** What search engines show of a title and of a description, in characters. */
const TITLE = 60;
const DESCRIPTION = { least: 50, most: 160 };
/** Shorter pieces seldom answer a question. */
const WORDS = 300;
/** The average words of a sentence that reads easily. */
const SENTENCE = 20;
const WORDS_PER_MINUTE = 220;

export function checksOf(piece: Text): readonly Check[] {
  return [lengthOf(piece), searchTitle(piece), searchDescription(piece), readingLevel(piece)];
}

function lengthOf({ words }: Text): Check {
  if (words === 0) return { name: 'Length', isGood: false, text: 'Nothing is written yet.' };
  const minutes = Math.max(1, Math.round(words / WORDS_PER_MINUTE));
  const size = `${words} ${words === 1 ? 'word' : 'words'}, about ${minutes} min to read`;
  return words >= WORDS
    ? { name: 'Length', isGood: true, text: size }
    : { name: 'Length', isGood: false, text: `${size}. Search engines prefer ${WORDS} words or more.` };
}

function searchTitle({ title, fields }: Text): Check {
  const shown = textOf(fields.seo_title) ?? title;
  const isGood = shown.length <= TITLE;
  return {
    name: 'Title in search results',
    isGood,
    text: isGood ? shown : `${shown.length} characters; search engines cut titles after about ${TITLE}.`,
  };
}

function searchDescription({ fields }: Text): Check {
  const name = 'Description in search results';
  const shown = textOf(fields.seo_description) ?? textOf(fields.description);
  if (shown === null)
    return { name, isGood: false, text: 'Missing. Add a description of one or two sentences.' };
  if (shown.length < DESCRIPTION.least)
    return { name, isGood: false, text: `Only ${shown.length} characters; say a little more.` };
  if (shown.length > DESCRIPTION.most)
    return {
      name,
      isGood: false,
      text: `${shown.length} characters; search engines cut it after about ${DESCRIPTION.most}.`,
    };
  return { name, isGood: true, text: shown };
}

/** By the length of sentences, which says something in every language that ends sentences with a mark. */
function readingLevel({ markdown }: Text): Check {
  const name = 'Reading level';
  const average = wordsPerSentence(markdown);
  if (average === null) return { name, isGood: true, text: 'No sentences yet.' };
  const rounded = Math.round(average);
  const size = `${rounded} ${rounded === 1 ? 'word' : 'words'} in a sentence on average`;
  return average <= SENTENCE
    ? { name, isGood: true, text: `Easy: ${size}.` }
    : { name, isGood: false, text: `Hard: ${size}. Shorter sentences read more easily.` };
}

function wordsPerSentence(markdown: string): number | null {
  const prose = markdown.replaceAll(/^(`{3,}|~{3,})[^]*?^\1/gm, '').replaceAll(/^(#|\|| {4}).*$/gm, '');
  const counts = prose
    .split(/[.!?…。！？]+(?=\s|$)|\n\s*\n|^\s*[-*+]\s/m)
    .map((sentence) => sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length)
    .filter((count) => count > 0);
  return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0) / counts.length;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}
